import PackFormat

/// Knows which URLs belong to which package. It is the only place that compares hosts.
///
/// A host matches completely or not at all. `evil.package.attacker.com` belongs to somebody else. `a.b.package`, and
/// the virtual host of an unregistered package, belong to nobody: they are refused and never requested from the
/// network.
struct AddressBook: Sendable {
    enum Lookup: Hashable {
        case site(SiteAddress)
        /// The URL is not a package's: the request goes out unchanged.
        case foreign
        /// The URL is a package's and cannot be answered; the text says why.
        case refused(String)
    }

    private struct Origin {
        let prefix: String
        let url: WebURL
        let package: PackageID
    }

    private let packages: Set<PackageID>
    private let schemes: Set<String>
    private let origins: [Origin]

    init(packages: Set<PackageID>, schemes: Set<String>, origins: [PackageID: [String]]) {
        self.packages = packages
        self.schemes = Set(schemes.map { $0.lowercased() })
        self.origins = origins.flatMap { package, prefixes in
            prefixes.compactMap { prefix in
                WebURL(prefix).map { Origin(prefix: prefix, url: $0, package: package) }
            }
        }
        // The longest prefix wins, so that a package can live below another one's address.
        .sorted {
            ($1.url.path.utf8.count, $0.prefix, $0.package.text) < ($0.url.path.utf8.count, $1.prefix, $1.package.text)
        }
    }

    func lookup(_ text: String) -> Lookup {
        guard let url = WebURL(text) else {
            // A custom scheme of ours without a host, such as "app:x", is no address of a package either.
            let scheme = text.prefix { $0 != ":" }.lowercased()
            return schemes.contains(scheme) ? .refused("the URL cannot be read") : .foreign
        }
        if schemes.contains(url.scheme) { return site(host: url.host, url: url, form: .scheme(url.scheme)) }
        let suffix = "." + SiteAddress.virtualSuffix
        // The domain itself is no package's, and nobody's either.
        let isDomain = url.host == SiteAddress.virtualSuffix || url.host == SiteAddress.virtualSuffix + "."
        if url.scheme == "https" || url.scheme == "http", isDomain { return .refused("the URL names no package") }
        if url.scheme == "https" || url.scheme == "http", url.host.hasSuffix(suffix) || url.host.hasSuffix(suffix + ".")
        {
            guard url.scheme == "https" else { return .refused("the virtual domain is https only") }
            guard url.effectivePort == 443 else { return .refused("the virtual domain has no other port") }
            return site(host: String(url.host.dropLast(suffix.count)), url: url, form: .virtualDomain)
        }
        return originSite(url)
    }

    private func site(host: String, url: WebURL, form: SiteAddress.Form) -> Lookup {
        guard !url.hasUserInfo else { return .refused("the URL has a user name") }
        if case .scheme = form, url.port != nil { return .refused("the URL has a port") }
        guard let package = try? PackageID(host), packages.contains(package) else {
            return .refused("no package is registered under \"\(url.host)\"")
        }
        return .site(
            SiteAddress(package: package, path: url.path, query: url.query, fragment: url.fragment, form: form))
    }

    private func originSite(_ url: WebURL) -> Lookup {
        // A path that climbs out of the prefix is the server's business: for us it is not under the prefix.
        guard let (origin, path) = origin(of: url), SitePath.fault(of: path) == nil else { return .foreign }
        return .site(
            SiteAddress(
                package: origin.package, path: path, query: url.query, fragment: url.fragment,
                form: .origin(origin.prefix)))
    }

    /// What follows an origin's prefix in a URL's path, with its slash, sound or not; nil if none is its prefix.
    func pathBelowOrigin(of url: WebURL) -> String? { origin(of: url)?.path }

    private func origin(of url: WebURL) -> (origin: Origin, path: String)? {
        guard !url.hasUserInfo else { return nil }
        for origin in origins {
            guard url.scheme == origin.url.scheme, url.host == origin.url.host,
                url.effectivePort == origin.url.effectivePort,
                let rest = Self.rest(of: url.path, after: origin.url.path)
            else { continue }
            return (origin, "/" + rest)
        }
        return nil
    }

    /// The prefix ends with "/", so the cut is at a segment's start. `/%73hop/` is `/shop/` (RFC 3986 section 6.2.2.2).
    private static func rest(of path: String, after prefix: String) -> String? {
        if path.utf8.starts(with: prefix.utf8) { return String(Substring(path.utf8.dropFirst(prefix.utf8.count))) }
        guard path.utf8.contains(UInt8(ascii: "%")) || prefix.utf8.contains(UInt8(ascii: "%")) else { return nil }
        let slash = UInt8(ascii: "/")
        let depth = prefix.utf8.count { $0 == slash }
        guard let end = path.utf8.indices.filter({ path.utf8[$0] == slash }).dropFirst(depth - 1).first else {
            return nil
        }
        let head = RulePath.bytes(of: String(path[...end]), cutsSlashes: false).map(\.byte)
        guard head == RulePath.bytes(of: prefix, cutsSlashes: false).map(\.byte) else { return nil }
        return String(path[path.utf8.index(after: end)...])
    }
}
