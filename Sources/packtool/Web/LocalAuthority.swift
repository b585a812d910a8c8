import PackWeb

/// The names by which a browser on this machine reaches a server of ours: a page of another site must not come in by a
/// name that it points at this machine (DNS rebinding).
enum LocalAuthority {
    /// - Parameter authority: a request's `Host` field: a name or an address, and perhaps a port.
    static func isOne(_ authority: String) -> Bool {
        let host = host(of: authority)
        return ["localhost", "127.0.0.1", "[::1]"].contains(host) || host.hasSuffix(".localhost")
            || package(in: host) != nil
    }

    /// The `shop` of `shop.package` and of `shop.package.localhost`; nil for any other name.
    static func package(in authority: String) -> String? {
        let labels = host(of: authority).split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count == 2 || labels.count == 3 && labels[2] == "localhost",
            labels[1] == SiteAddress.virtualSuffix, !labels[0].isEmpty
        else { return nil }
        return String(labels[0])
    }

    private static func host(of authority: String) -> String {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return authority.prefix { $0 != ":" }.lowercased()
    }
}
