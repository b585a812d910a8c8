import Foundation
import HTTPTypes
import Hummingbird
import PackFormat
import PackWeb
import Synchronization

/// The addresses of a preview: those by which pages know it, and the port at which it reaches itself.
final class PreviewAddress: Sendable {
    /// The package with its gate switched off and an address on this machine as its web site: so a request to the package's own
    /// address goes to the preview's port, which alone answers it.
    private struct Catalog: SiteCatalog {
        let settings: WebSettings

        func content(of package: PackageID) throws -> (any SiteContent)? { nil }
    }

    /// Below it, and a name for the page's address, is all of the preview: a loader sends no `Referer` with a request that goes to
    /// another address than the page's.
    private static let place = "/-/page/"

    private let package: PackageID
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

    /// - Parameter referrer: the address of the page that makes the request.
    func catalog(referrer: String) -> any SiteCatalog {
        let name = Data(referrer.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let site = "http://127.0.0.1:\(port)\(Self.place)\(name.isEmpty ? "-" : name)/"
        return Catalog(
            settings: WebSettings(packages: [package: WebSettings.Package(isEnabled: false, origins: [site])]))
    }

    /// A request below ``catalog(referrer:)``'s address as the page made it, and the path that the preview has there; nil for any
    /// other request.
    static func restored(_ request: Request) -> (request: Request, prefix: String)? {
        guard request.uri.string.hasPrefix(place) else { return nil }
        let rest = request.uri.string.dropFirst(place.count)
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        var name = rest[..<slash].replacing("-", with: "+").replacing("_", with: "/")
        name += String(repeating: "=", count: (4 - name.count % 4) % 4)
        var head = request.head
        head.path = String(rest[slash...])
        let referrer = Data(base64Encoded: String(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        head.headerFields[.referer] = referrer.isEmpty ? nil : referrer
        return (Request(head: head, body: request.body), place + rest[..<slash])
    }

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
