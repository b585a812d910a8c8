import Foundation
import PackWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Who makes the request, and for what. A cookie's `SameSite` is judged by it (RFC 6265bis section 5.2).
extension URLRequest {
    /// The page that makes the request: its document, else its referrer. Where a page hides its referrer, what the engine
    /// says of it (Fetch Metadata, else `Origin`); nil: nobody's, as of the app itself.
    var askingPage: URL? {
        if let page = mainDocumentURL { return page }
        if let referrer = value(forHTTPHeaderField: "Referer").flatMap({ URL(string: $0) }) { return referrer }
        switch value(forHTTPHeaderField: "Sec-Fetch-Site")?.lowercased() {
        case "same-origin", "same-site", "none": return nil
        case .some: return Self.unknownPage
        case nil:
            guard let origin = value(forHTTPHeaderField: "Origin") else { return nil }
            // "null" is an origin that the engine does not tell.
            return URL(string: origin).flatMap { $0.host() == nil ? nil : $0 } ?? Self.unknownPage
        }
    }

    /// Whether the answer replaces the page in its window: a frame's does not, and an `<embed>`'s neither.
    var isNavigation: Bool {
        guard let destination = value(forHTTPHeaderField: "Sec-Fetch-Dest") else { return SiteRequest(self).wantsPage }
        return destination.lowercased() == "document"
    }

    /// Of no site, so of another one than any server's.
    private static let unknownPage = URL(string: "about:blank")
}
