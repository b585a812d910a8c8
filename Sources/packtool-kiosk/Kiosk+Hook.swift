import Foundation
import PackFormat
import PackHost
import PackWeb
import PackWebOnline
import PackWebKitGTK

/// The page hook in the kiosk's pages.
extension Kiosk {
    /// Sets the version that the next pages of a package may confirm, and what the hook hands over.
    func hookPages(of package: PackageID) {
        var hook = PageHook(strategy: settings.hook, transport: .messageHandler(""))
        hook.schemes = [settings.scheme]
        // With body hand-over, only what the device gets may be tagged: another server would see the tag.
        hook.hosts = settings.hook == .full ? nil : hosts
        // A form leads the engine itself to another host, where nobody would take its tag out; and the proxy gets it whole.
        hook.handlesForms = !settings.usesProxy
        hook.formHosts = hosts
        // Behind the proxy the engine's own cookies work.
        hook.sharesCookies = !settings.usesProxy
        hook.load = loads[package]
        view.setHook(hook, for: origin(of: package), bridge: bridge)
    }

    private var hosts: [String] {
        host.packages.settings.packages.keys.map { settings.usesProxy ? SiteAddress.virtualHost(of: $0) : $0.text }
            .sorted()
    }

    /// The app's end of the hook. A page's confirmation counts for the load that it was made for only.
    static func bridge(
        pages: any PageSource, online: NetworkLoader, bodies: BodyStore, cookies: CookieKeeper,
        allowsMixedContent: Bool,
        confirm: @escaping @Sendable (PageBridge.Sender, PageHook.Load) async throws -> Void
    ) -> PageBridge {
        var configuration = PageBridge.Configuration()
        configuration.cookies = cookies
        configuration.allowsMixedContent = allowsMixedContent
        configuration.confirm = { sender, package, version, token in
            try await confirm(sender, PageHook.Load(package: package, version: version, token: token))
        }
        return PageBridge(
            pages: { pages.page(for: $0) }, online: online, bodies: bodies, configuration: configuration)
    }
}
