public import LiveUpdateProvider
import PackFormat
public import PackHost

// Packages of ours in Ionic's Portals and Federated Capacitor: the contract of `ionic-team/live-update-provider-sdk` 0.2.0, which is
// not released yet. Version 0.1.0 has other names for the same members.
//
//     try await host.start()
//     let manager = LiveUpdateManager(of: shop, in: host)              // a Portal takes it as it is
//     try ProviderRegistry.shared.register(PortalsProvider(host))      // a plugin of Federated Capacitor does this when it loads

extension LiveUpdateManager: @retroactive ProviderManager {
    public func sync() async throws -> (any ProviderSyncResult)? {
        let result = try await update()
        return MetadataSyncResult(metadata: [
            "didUpdate": result.didUpdate, "version": result.version?.description ?? "",
        ])
    }
}

/// Makes the managers of Federated Capacitor, for the package that its configuration names: `{ "package": "shop" }`.
final class PortalsProvider: LiveUpdateProvider {
    let id = "packtool"
    private let host: PackHost

    init(_ host: PackHost) {
        self.host = host
    }

    func createManager(config: [String: Any]) throws -> any ProviderManager {
        LiveUpdateManager(of: try PackageID(config["package"] as? String ?? ""), in: host)
    }
}
