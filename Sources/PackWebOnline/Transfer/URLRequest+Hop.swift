import Foundation
import PackWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The request of a redirect's next hop (Fetch section 4.4): 307 and 308 keep method and body, which Foundation on
    /// Linux drops; where another one becomes a GET, what described the body goes with it.
    /// - Parameter suggested: what Foundation would send.
    func hop(after response: HTTPURLResponse, suggested: URLRequest) -> URLRequest {
        var next = self
        next.url = Self.location(response, from: url) ?? suggested.url
        let method = httpMethod ?? "GET"
        let becomesGET =
            [301, 302].contains(response.statusCode) && method == "POST"
            || response.statusCode == 303 && method != "GET" && method != "HEAD"
        if becomesGET {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
            for name in Self.fieldsOfBody { next.setValue(nil, forHTTPHeaderField: name) }
        }
        // Said for one origin only; another port or scheme is another one.
        if next.url.map(CrossOriginRules.origin(of:)) != url.map(CrossOriginRules.origin(of:)) {
            for name in ["Authorization", "Cookie"] { next.setValue(nil, forHTTPHeaderField: name) }
        }
        return next
    }

    /// What goes with the body when another method takes its place.
    static let fieldsOfBody = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type",
    ]

    /// Relative to the address as it is known above; Foundation on Linux resolves by parts, and wrongly where one is
    /// missing (`?a=1`, `data:`).
    private static func location(_ response: HTTPURLResponse, from base: URL?) -> URL? {
        guard let text = response.value(forHTTPHeaderField: "Location") else { return nil }
        return SentAddress.url(text, relativeTo: base)
    }
}
