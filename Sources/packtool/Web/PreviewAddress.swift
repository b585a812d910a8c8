import Foundation
import PackFormat
import PackWeb
import Synchronization

/// The addresses of a preview: those by which pages know it, and the port at which it reaches itself.
///
/// As a catalog it has the package with its gate switched off, so that a request to the package's own address goes to the
/// preview's port, which alone answers it.
final class PreviewAddress: SiteCatalog {
    let package: PackageID
    /// This machine's address in the network, where phones may open the preview.
    private let networkHost: String?
    private let state = Mutex(0)

    init(_ package: PackageID, networkHost: String?) {
        (self.package, self.networkHost) = (package, networkHost)
    }

    /// The port of the preview, once it listens; 0 before.
    var port: Int {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    var settings: WebSettings {
        WebSettings(packages: [package: WebSettings.Package(isEnabled: false, origins: ["http://127.0.0.1:\(port)/"])])
    }

    func content(of package: PackageID) throws -> (any SiteContent)? { nil }

    /// Whether the preview itself answers the address.
    func isOwn(_ url: URL) -> Bool {
        url.host(percentEncoded: true)?.lowercased() == SiteAddress.virtualHost(of: package) || local(url) != nil
    }

    /// The address at which this machine finds the preview, for one by which a page knows it; nil for any other address.
    func local(_ url: URL) -> URL? {
        guard url.scheme?.lowercased() == "http", (url.port ?? 80) == port,
            let host = url.host(percentEncoded: true)?.lowercased()
        else { return nil }
        if ["localhost", "127.0.0.1"].contains(host) || host.hasSuffix(".localhost") { return url }
        guard host == networkHost, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return nil
        }
        // From the network's side it would need the cookie of a phone.
        parts.host = "127.0.0.1"
        return parts.url
    }
}
