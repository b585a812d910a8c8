public import Foundation
public import LiveUpdateProvider
import PackFormat
public import PackHost

// Packages of ours in Ionic's Portals and Federated Capacitor: the contract of `ionic-team/live-update-provider-sdk` 0.1.0-alpha.1, its
// only release. What is to become 0.2 calls the same members otherwise: `ProviderManager`, whose `sync` gives a `ProviderSyncResult?`,
// and `LiveUpdateProvider`, whose configuration is a `[String: Any]`.
//
//     try await host.start()
//     let manager = LiveUpdateManager(of: shop, in: host)                       // a Portal takes it as it is
//     await LiveUpdateProviderRegistry.shared.register(PortalsProvider(host))   // for Federated Capacitor, before it loads

extension LiveUpdateManager: @retroactive LiveUpdateManaging {
    public func sync() async throws -> any SyncResult { PortalsResult(try await update()) }
}

/// What a sync has done.
struct PortalsResult: FederatedCapacitorSyncResult {
    let didUpdate: Bool
    let metadata: [String: any Sendable]?

    init(_ result: LiveUpdateResult) {
        didUpdate = result.didUpdate
        metadata = result.version.map { ["version": $0.description] }
    }
}

/// Makes the managers of Federated Capacitor, for the package that its configuration names: `{ "package": "shop" }`.
final class PortalsProvider: LiveUpdateProviding {
    let id = "packtool"
    private let host: PackHost

    init(_ host: PackHost) {
        self.host = host
    }

    func createManager(config: [String: any Sendable]?) throws -> any LiveUpdateManaging {
        guard let package = try? PackageID(config?["package"] as? String ?? "") else {
            // PackHost has an error of this name too.
            throw LiveUpdateProvider.LiveUpdateError.invalidConfiguration(
                "\"package\" names no package", underlyingError: nil)
        }
        return LiveUpdateManager(of: package, in: host)
    }
}
