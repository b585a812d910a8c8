import Foundation
import PackWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answer that sends a page's request to another origin. It works for engines that follow it and for engines that
/// show it: WebKit's scheme handlers show a redirect's own content (WebKitGTK 2.50).
struct CrossOriginRedirectPage {
    let head: TransferHead
    let content: Data

    /// - Parameter next: the request that the redirect asks for.
    init(_ answer: TransferHead, to next: URLRequest) {
        let address = next.url?.absoluteString ?? ""
        let text = address.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
        // What has another method cannot be repeated by a page.
        let isRead = next.httpMethod == "GET"
        let refresh = isRead ? "<meta http-equiv=\"refresh\" content=\"0;url=\(text)\">" : ""
        let note = "<a href=\"\(text)\">\(text)</a>"
        content = Data("<!doctype html><meta charset=\"utf-8\">\(refresh)<title>\(text)</title>\(note)\n".utf8)
        let described = ["location", "content-type", "content-length", "content-encoding", "content-security-policy"]
        var headers = answer.headers.filter { !described.contains($0.key.lowercased()) }
        headers["location"] = address
        headers["content-type"] = "text/html; charset=utf-8"
        headers["content-length"] = String(content.count)
        headers["cache-control"] = "no-store"
        head = TransferHead(status: answer.status, headers: headers)
    }

    /// Whether a hop takes a page away from the origin that was asked first.
    static func isDue(for page: SiteRequest, asked first: URL?, next: URL?) -> Bool {
        let saysWhy = page.headers["sec-fetch-dest"] != nil || page.headers["accept"] != nil
        guard saysWhy, page.wantsPage, let first, let next, ["https", "http"].contains(next.scheme?.lowercased()) else {
            return false
        }
        return CrossOriginRules.origin(of: first) != CrossOriginRules.origin(of: next)
    }
}
