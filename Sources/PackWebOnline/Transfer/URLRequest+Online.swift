import PackWeb

#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension URLRequest {
    /// Returns the page's request with another URL. Method, headers and body are kept.
    /// - Throws: ``WebError/bodyLost(method:url:)`` rather than sending a request without the body that it announces.
    package func online(at url: String) throws -> URLRequest {
        let method = httpMethod ?? "GET"
        let announced =
            ["Content-Type", "Transfer-Encoding"].contains { value(forHTTPHeaderField: $0) != nil }
            || Int(value(forHTTPHeaderField: "Content-Length") ?? "0") != 0
        if method != "GET", method != "HEAD", announced, httpBody == nil, httpBodyStream == nil {
            throw WebError.bodyLost(method: method, url: url)
        }
        guard let target = SentAddress.url(url) else { throw URLError(.badURL) }
        var copy = self
        if copy.url != target {
            copy.url = target
            // The page's own address is known to no server.
            if let referrer = value(forHTTPHeaderField: "Referer").flatMap({ URL(string: $0) }), isOwn(referrer) {
                copy.setValue(nil, forHTTPHeaderField: "Referer")
            }
            // Services compare the origin with the host that they were asked for, against forged requests.
            if let origin = value(forHTTPHeaderField: "Origin").flatMap({ URL(string: $0) }), isOwn(origin) {
                copy.setValue(CrossOriginRules.origin(of: target), forHTTPHeaderField: "Origin")
            }
            // With it, the package's server would be another site, whose cookies the page does not get.
            if let page = askingPage, isOwn(page) { copy.mainDocumentURL = target }
        }
        // Foundation would call bytes of no type a form, and servers would read them as one.
        if copy.httpBody != nil || copy.httpBodyStream != nil, copy.value(forHTTPHeaderField: "Content-Type") == nil {
            copy.setValue("", forHTTPHeaderField: "Content-Type")
        }
        return copy
    }

    private func isOwn(_ page: URL) -> Bool { page.scheme == url?.scheme && page.host == url?.host }
}
