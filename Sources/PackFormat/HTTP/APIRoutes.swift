/// Path prefixes of a package that lead to a service: `/api/` of the page's own origin is `https://api.example.com/`.
///
///     let routes = try APIRoutes(["/api/": "https://api.example.com/v2/"])
///     routes.target(of: "/api/orders?open=1")   // "https://api.example.com/v2/orders?open=1"
///
/// For a page such a service is of its own origin, so cookies, uploads and WebSockets work as on a server that has both.
/// No file of the package lies below a prefix. Of two prefixes that fit the longer one counts.
public struct APIRoutes: Hashable, Sendable {
    public static let none = APIRoutes()
    /// The largest number of prefixes in a package.
    public static let maximumCount = 64

    /// The URL prefixes by path prefix; both end with `/`.
    public let targets: [String: String]
    /// The path prefixes, those that begin with another one before it.
    private let prefixes: [String]

    public var isEmpty: Bool { targets.isEmpty }

    /// - Parameter targets: a path prefix such as `/api/`, and an `https` URL prefix that ends with `/`; `http` only for
    ///   a host that is this device (`localhost`, 127.0.0.0/8, `[::1]`).
    /// - Throws: ``FormatError/invalidAPI(_:reason:)``
    public init(_ targets: [String: String]) throws(FormatError) {
        guard targets.count <= Self.maximumCount else {
            throw .invalidAPI("\(targets.count) prefixes", reason: "a package has at most \(Self.maximumCount)")
        }
        for (prefix, target) in targets {
            if let reason = Self.fault(ofPrefix: prefix) { throw .invalidAPI(prefix, reason: reason) }
            if let reason = Self.fault(ofTarget: target) { throw .invalidAPI(target, reason: reason) }
        }
        self.targets = targets
        prefixes = targets.keys.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    private init() {
        targets = [:]
        prefixes = []
    }

    /// The URL that a request goes to; nil if no prefix fits.
    /// - Parameter requestPath: the path as it was sent, percent-encoded, starting with `/`; it may have a query. A path
    ///   that a server may read as another one (``SitePath/fault(of:)``) must be refused before.
    public func target(of requestPath: String) -> String? {
        guard let prefix = prefixes.first(where: { requestPath.utf8.starts(with: $0.utf8) }),
            let target = targets[prefix]
        else { return nil }
        return target + Substring(requestPath.utf8.dropFirst(prefix.utf8.count))
    }

    /// The prefix that a file of the package would lie below; nil for none.
    func prefix(above path: PackagePath) -> String? {
        prefixes.first { path.text.utf8.starts(with: $0.utf8.dropFirst()) }
    }

    /// Plain characters only, so that a request's path and the prefix can be compared by their bytes.
    private static func fault(ofPrefix prefix: String) -> String? {
        guard prefix.utf8.count > 2, prefix.hasPrefix("/"), prefix.hasSuffix("/") else {
            return "a prefix begins and ends with / and has a name between, such as /api/"
        }
        let isPlain = prefix.utf8.allSatisfy { byte in
            isLetterOrDigit(byte) || "/-._~".utf8.contains(byte)
        }
        if !isPlain { return "a prefix has letters, digits, -, ., _, ~ and / only" }
        return (try? PackagePath(String(prefix.dropFirst().dropLast()))) == nil
            ? "a prefix has no empty component, \".\" or \"..\"" : nil
    }

    private static func fault(ofTarget target: String) -> String? {
        let isSecure = target.hasPrefix("https://")
        guard isSecure || target.hasPrefix("http://") else { return "it is no https URL" }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            return "it contains a space, a backslash or a character beyond ASCII"
        }
        if target.contains("?") || target.contains("#") { return "a URL prefix has no ? and no #" }
        guard target.hasSuffix("/") else { return "a URL prefix ends with /" }
        let rest = target.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != "/" }
        if authority.contains("@") { return "a URL prefix has no user name" }
        guard let host = host(of: authority) else { return "it has no valid host and port" }
        if LoopbackName.isDisguised(host) { return "\(host) may be this device: say 127.0.0.1, [::1] or localhost" }
        let path = rest.dropFirst(authority.count + 1).dropLast()
        if !path.isEmpty, (try? PackagePath(String(path))) == nil || path.contains("%") {
            return "its path has an empty component, \".\", \"..\", \":\" or %"
        }
        return isSecure || LoopbackName.isOne(host) ? nil : "http is for a host on this device only: use https"
    }

    /// The host of `HOST` or `HOST:PORT`; nil for what is neither.
    private static func host(of authority: Substring) -> String? {
        let isBracketed = authority.hasPrefix("[")
        let end =
            isBracketed
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) }
            : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end else { return nil }
        let host = authority[..<end]
        let port = authority[end...]
        if !port.isEmpty {
            let digits = port.dropFirst()
            guard port.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(digits), (1...65535).contains(number)
            else { return nil }
        }
        let inner = isBracketed ? host.dropFirst().dropLast() : host
        let isPlain = inner.utf8.allSatisfy { byte in
            isLetterOrDigit(byte) || (isBracketed ? ":.".utf8 : "-.".utf8).contains(byte)
        }
        return inner.isEmpty || !isPlain ? nil : host.lowercased()
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
