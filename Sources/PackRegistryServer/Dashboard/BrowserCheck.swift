import Foundation
import HTTPTypes
import Hummingbird

/// Whether a browser sends a request because somebody opened a page, and not because a page of somebody else made it.
///
/// Sites of packages (`/site/…`) have the same origin as the dashboard. Their scripts could read its pages with the person's
/// cookie, so a page is given to navigations of a whole tab only: the fields of Fetch Metadata (W3C) say so, and no script can
/// set them. `docs/decisions/0031` has the reasons.
struct BrowserCheck: Sendable {
    /// The origin by `--public-url`; nil if it is not known.
    let publicOrigin: String?

    init(publicURL: String?) {
        publicOrigin = publicURL.flatMap { URL(string: $0) }.flatMap { url in
            guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased() else { return nil }
            return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
        }
    }

    /// Whether the answer goes to a tab, and to no script, frame or object.
    static func isNavigation(_ request: Request) -> Bool {
        field(request, "Sec-Fetch-Dest") == "document" && field(request, "Sec-Fetch-Mode") == "navigate"
    }

    /// Whether a form of this dashboard's origin was sent.
    func isOwnForm(_ request: Request) -> Bool {
        guard Self.isNavigation(request), Self.field(request, "Sec-Fetch-Site") == "same-origin",
            let origin = Self.field(request, "Origin")?.lowercased(),
            let authority = request.head.authority?.lowercased()
        else { return false }
        return origin == "https://\(authority)" || origin == "http://\(authority)" || origin == publicOrigin
    }

    private static func field(_ request: Request, _ name: String) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let values = request.headers[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
