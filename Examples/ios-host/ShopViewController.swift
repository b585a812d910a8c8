import Foundation
import Network
import PackWebKit

#if canImport(UIKit)
    import UIKit
#endif

/// A screen that shows the package "shop" from the device. Updates come in the background.
///
/// From iOS 17 on its way is a loopback proxy, with everything that a page has on the web. For iOS 16 take
/// `PackageViewConfiguration(.scheme("h5pack"))`, and name that scheme in `PackHostConfiguration(schemes:)`.
@MainActor
final class ShopViewController: PackageViewController {
    private let scheduler: UpdateScheduler
    private let monitor = NWPathMonitor()

    init(store: URL, registry: URL, root: [UInt8]) async throws {
        let shop = try PackageID("shop")
        // What the system would not load is better read while the app is built than in the field.
        let faults = TransportSecurity(Bundle.main.infoDictionary ?? [:]).faults(of: [registry])
        assert(faults.isEmpty, faults.joined(separator: "\n"))
        var updater = UpdaterConfiguration(
            store: store, base: registry, channel: try ChannelName("stable"), root: root)
        Self.tellFacts(to: &updater, monitor)
        let host = try PackHost(PackHostConfiguration(updater: updater))
        try await host.start()
        // As often as the channel says; the page that people wait for comes first.
        scheduler = host.scheduler(.list([shop]))
        var settings = PackageViewConfiguration()
        settings.lastPage = UserDefaults.standard.string(forKey: "lastPage")
        try super.init(shop, of: host, settings)
        await scheduler.start()
    }

    /// What rollouts may ask for.
    private static func tellFacts(to updater: inout UpdaterConfiguration, _ monitor: NWPathMonitor) {
        let version = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
        updater.appVersion = version.flatMap { try? AppVersion($0) }
        updater.platform = "ios"
        updater.osVersion = try? AppVersion(UIDevice.current.systemVersion)
        updater.locale = Locale.current.identifier(.bcp47)
        updater.region = Locale.current.region?.identifier
        monitor.start(queue: .global(qos: .utility))
        updater.network = {
            let path = monitor.currentPath
            return path.status == .satisfied ? path.isExpensive ? .metered : .unmetered : nil
        }
    }

    /// To be called when the scene becomes active.
    override func resume() async {
        await super.resume()
        await scheduler.resume()
    }

    /// To be called when the scene leaves: the app may end without another word.
    func leave() async {
        UserDefaults.standard.set(lastPage, forKey: "lastPage")
        await host.endSession()
    }
}
