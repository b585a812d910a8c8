package import Foundation
import PackWeb

/// Where a page's request goes instead of its own address: to the package's web site, or to the service behind one of
/// its paths. For the page both are one place, so what the service says about its own address is translated to the
/// page's address.
///
///     Relocation(page: "https://shop.package/api/a", real: "https://api.example/v1/a")
///     // https://api.example/v1/… is https://shop.package/api/…
///
/// The two addresses have the same ending. Their beginnings are the prefixes that correspond to each other.
package struct Relocation: Hashable, Sendable {
    private let page: WebURL
    private let real: WebURL
    /// Both begin and end with `/`.
    private let pagePrefix: String
    private let realPrefix: String

    /// Nil if the request goes to its own address.
    package init?(page: String, real: String) {
        guard page != real, let page = WebURL(page), let real = WebURL(real) else { return nil }
        let (one, other) = (Array(page.path.utf8), Array(real.path.utf8))
        var common = 0
        while common < min(one.count, other.count), one[one.count - 1 - common] == other[other.count - 1 - common] {
            common += 1
        }
        // What is alike from a slash on: "/api/x" and "/v1/x" by "x", and not "/papi/x" and "/api/x" by "api/x".
        let tail = one.suffix(common)
        guard let slash = tail.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let length = tail.endIndex - slash - 1
        self.page = page
        self.real = real
        pagePrefix = String(decoding: one.dropLast(length), as: UTF8.self)
        realPrefix = String(decoding: other.dropLast(length), as: UTF8.self)
    }

    /// The page's address for one of the service's; nil for another server's.
    func pageAddress(of url: URL) -> URL? {
        guard let url = WebURL(url.absoluteString), url.scheme == real.scheme, url.host == real.host,
            url.effectivePort == real.effectivePort
        else { return nil }
        let port = page.port.map { ":\($0)" } ?? ""
        let rest = (url.query.map { "?" + $0 } ?? "") + (url.fragment.map { "#" + $0 } ?? "")
        return SentAddress.url("\(page.scheme)://\(page.host)\(port)\(pagePath(url.path))\(rest)")
    }

    /// Whether an address lies below the prefix that stands for the page's.
    func covers(_ url: URL) -> Bool { WebURL(url.absoluteString)?.path.hasPrefix(realPrefix) == true }

    /// Translates a `Set-Cookie` field to the page's address: the service's host becomes the page's, and the rest is
    /// unchanged.
    package func pageCookie(_ field: String) -> String {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        let attributes = parts.dropFirst().compactMap { part -> String? in
            let halves = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard halves.count == 2 else { return String(part) }
            switch halves[0].lowercased() {
            case "domain":
                let domain = halves[1].lowercased().drop { $0 == "." }
                // One of another site stays as it is, and is refused by whoever reads it.
                return CookieScope.host(real.host, isWithin: String(domain)) ? nil : String(part)
            // One for all of the service's host is one for all of the page's.
            case "path" where halves[1].hasPrefix("/") && halves[1] != "/": return " Path=\(pagePath(halves[1]))"
            default: return String(part)
            }
        }
        return ([String(parts.first ?? "")] + attributes).joined(separator: ";")
    }

    /// Translates a `Location` field to the page's address: an address below the prefix becomes the page's, any other
    /// stays.
    /// - Parameter base: the address that was asked.
    package func pageLocation(_ field: String, of base: URL) -> String {
        guard let url = SentAddress.url(field, relativeTo: base) else { return field }
        return (covers(url) ? pageAddress(of: url) : nil)?.absoluteString ?? url.absoluteString
    }

    /// All `Set-Cookie` fields of an answer, joined or not.
    func pageHeaders(_ headers: [String: String]) -> [String: String] {
        var headers = headers
        for (name, value) in headers where name.lowercased() == "set-cookie" {
            headers[name] = SetCookieList.split(value).map(pageCookie).joined(separator: ", ")
        }
        return headers
    }

    private func pagePath(_ path: String) -> String {
        if path.hasPrefix(realPrefix) { return pagePrefix + path.dropFirst(realPrefix.count) }
        guard path + "/" == realPrefix else { return path }
        return pagePrefix == "/" ? "/" : String(pagePrefix.dropLast())
    }
}
