import PackWeb

/// The names by which a browser on this machine reaches our server. A page of another site must not reach it by a
/// name that it points at this machine (DNS rebinding).
enum LocalAuthority {
    /// - Parameter authority: a request's `Host` field: a name or an address, and perhaps a port.
    static func isOne(_ authority: String) -> Bool {
        guard let host = host(of: authority) else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains(host) || host.hasSuffix(".localhost")
            || package(in: host) != nil
    }

    /// The package in an authority: `shop` in `shop.package` and `shop.package.localhost`; nil for any other name.
    static func package(in authority: String) -> String? {
        let labels = host(of: authority)?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard labels.count == 2 || labels.count == 3 && labels[2] == "localhost",
            labels[1] == SiteAddress.virtualSuffix, !labels[0].isEmpty
        else { return nil }
        return String(labels[0])
    }

    /// nil if there is more than a host and a port: in `127.0.0.1:80@evil` the host is `evil` (RFC 3986 section 3.2).
    private static func host(of authority: String) -> String? {
        let text = authority.lowercased()
        let end: String.Index
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            end = text.index(after: bracket)
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
        }
        let (host, rest) = (text[..<end], text[end...])
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-._[]:")
        guard !host.isEmpty, host.allSatisfy({ allowed.contains($0) }),
            rest.isEmpty
                || rest.first == ":" && rest.count <= 6 && rest.dropFirst().allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        return String(host)
    }
}
