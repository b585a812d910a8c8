import Foundation
import PackFormat

/// The permission that a browser needs from a server of another origin before a page may read its answer (Fetch
/// section 3.2), applied to requests that the app performs for the page.
struct CrossOriginRules {
    /// The page's, such as `https://shop.package`.
    let origin: String
    let mode: HookMessage.Request.Mode
    let credentials: HookMessage.Request.Credentials
    /// Whether the request has been to another origin: its answer is one of another origin then, wherever it ends
    /// (the standard's response tainting).
    var hasLeft = false
    /// Whether another origin sent it on to a third one, which is told of no origin (the tainted origin flag).
    var isTainted = false

    /// What a server is told, and what it must name.
    var serializedOrigin: String { isTainted ? "null" : origin }

    static func origin(of url: URL) -> String {
        let scheme = url.scheme?.lowercased() ?? ""
        let isDefault = url.port == nil || scheme == "https" && url.port == 443 || scheme == "http" && url.port == 80
        let host = url.host(percentEncoded: true)?.lowercased() ?? ""
        return "\(scheme)://\(host)" + (isDefault ? "" : ":\(url.port ?? 0)")
    }

    func isCross(_ url: URL) -> Bool { hasLeft || Self.origin(of: url) != origin }

    /// The rules of the next hop of a redirect (section 4.4).
    func following(from: URL, to: URL) -> CrossOriginRules {
        let (last, next) = (Self.origin(of: from), Self.origin(of: to))
        var rules = self
        if last != next, last != origin { rules.isTainted = true }
        if next != origin { rules.hasLeft = true }
        return rules
    }

    /// Whether cookies go with a request to the address.
    func sendsCredentials(to url: URL) -> Bool {
        credentials == .include || credentials == .sameOrigin && !isCross(url)
    }

    /// "CORS check", section 4.10: nil if the page may read the answer.
    func fault(url: URL, headers: [String: String]) -> String? {
        guard mode == .cors, isCross(url) else { return nil }
        guard let allowed = headers["access-control-allow-origin"] else {
            return "\(Self.origin(of: url)) does not say that \(origin) may read its answer"
        }
        if allowed == "*", credentials != .include { return nil }
        guard allowed == serializedOrigin else {
            return "\(Self.origin(of: url)) lets \(allowed) read its answer, not \(serializedOrigin)"
        }
        if credentials == .include, headers["access-control-allow-credentials"] != "true" {
            return "\(Self.origin(of: url)) does not allow credentials"
        }
        return nil
    }

    /// The headers that the page may see, by lower-case name.
    func exposed(url: URL, headers: [String: String]) -> [String: String] {
        let visible = headers.filter { !["set-cookie", "set-cookie2"].contains($0.key) }
        guard mode == .cors, isCross(url) else { return visible }
        let named = Self.list(headers["access-control-expose-headers"])
        if named.contains("*"), credentials != .include { return visible }
        let allowed = Self.safeResponseHeaders.union(named)
        return visible.filter { allowed.contains($0.key) }
    }

    /// Why a page must not get what anybody on the way can change (Mixed Content, section 4.4); nil if it may. This
    /// machine is no way (Secure Contexts, section 3.1).
    func mixedContentFault(_ url: URL) -> String? {
        guard url.scheme?.lowercased() == "http", !origin.hasPrefix("http://") else { return nil }
        let host = url.host(percentEncoded: true)?.lowercased() ?? ""
        if LoopbackName.isOne(host) || host.hasSuffix(".localhost") { return nil }
        return "\(Self.origin(of: url)) is plain http, which a secure page must not load"
    }

    /// Why a request in `no-cors` mode is none that a page can make: no server is asked before it goes out, so it must be
    /// what a form could send (section 2.2.2, "no-CORS-safelisted request-header"; section 5.4, the method). Nil if it
    /// may go.
    func requestFault(_ request: HookMessage.Request) -> String? {
        guard mode == .noCORS, isCross(request.url) else { return nil }
        guard Self.simpleMethods.contains(request.method) else {
            return "a page may send no \(request.method) to another origin without asking"
        }
        if let header = request.headers.first(where: { $0.name == "range" || !Self.isSafe($0.name, $0.value) }) {
            return "a page may send no \(header.name) to another origin without asking"
        }
        return nil
    }

    /// The names that a preflight must ask for, sorted; nil if none is needed (section 3.2.2).
    func preflight(for request: HookMessage.Request) -> [String]? {
        guard mode == .cors, isCross(request.url) else { return nil }
        let unsafe = request.headers.filter { !Self.isSafe($0.name, $0.value) }.map(\.name)
        let isSimple = Self.simpleMethods.contains(request.method)
        return isSimple && unsafe.isEmpty ? nil : Set(unsafe).sorted()
    }

    /// Whether a preflight's answer allows the request: nil, or why not.
    func preflightFault(
        for request: HookMessage.Request, names: [String], status: Int, headers: [String: String]
    ) -> String? {
        if let fault = fault(url: request.url, headers: headers) { return fault }
        guard (200..<300).contains(status) else { return "the server answered the preflight with \(status)" }
        let wild = credentials != .include
        let methods = headers["access-control-allow-methods"].map { Self.list($0, lowercased: false) } ?? []
        if !Self.simpleMethods.contains(request.method), !methods.contains(request.method),
            !(wild && methods.contains("*"))
        {
            return "the server does not allow the method \(request.method)"
        }
        let allowed = Self.list(headers["access-control-allow-headers"])
        for name in names where !allowed.contains(name) && !(wild && allowed.contains("*") && name != "authorization") {
            return "the server does not allow the header \(name)"
        }
        return nil
    }

    private static func list(_ text: String?, lowercased: Bool = true) -> Set<String> {
        Set(
            (text ?? "").split(separator: ",").map {
                let name = $0.trimmingCharacters(in: .whitespaces)
                return lowercased ? name.lowercased() : name
            })
    }

    private static let simpleMethods: Set<String> = ["GET", "HEAD", "POST"]

    private static let safeResponseHeaders: Set<String> = [
        "cache-control", "content-language", "content-length", "content-type", "expires", "last-modified", "pragma",
    ]

    /// "CORS-safelisted request-header", section 2.2.2.
    static func isSafe(_ name: String, _ value: String) -> Bool {
        guard value.utf8.count <= 128 else { return false }
        switch name {
        case "accept", "accept-language", "content-language": return true
        case "content-type":
            let essence = value.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
            return ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"].contains(essence)
        case "range": return value.wholeMatch(of: /bytes=\d+-\d*/) != nil
        default: return false
        }
    }
}
