/// Hosts that only this machine can reach, so that traffic to them need not be encrypted.
package enum LoopbackName {
    /// Whether a host is `localhost`, `::1` or in 127.0.0.0/8 (RFC 6890, section 2.2.2). A name that only begins like
    /// an address is not one of them, and neither is a name below `localhost`, because a resolver may ask the network
    /// for it.
    package static func isOne(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress =
            parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
        return isAddress || host == "localhost" || host == "::1" || host == "[::1]"
    }

    /// Whether a host may be this machine under a name that ``isOne(_:)`` does not know: `127.1`, `2130706433`,
    /// `0x7f.1`, `0.0.0.0`, `localhost.`, `[::]`, `[::ffff:127.0.0.1]` (WHATWG URL, "IPv4 parser"; RFC 4291, section
    /// 2.5). Only an attacker writes such a name.
    package static func isDisguised(_ host: String) -> Bool {
        guard !isOne(host) else { return false }
        if host.hasPrefix("[") {
            let inner = host.dropFirst().dropLast()
            return inner.allSatisfy { "0:".contains($0) } || inner.contains(".") || inner.hasPrefix("::")
                || inner.hasPrefix("0:")
        }
        if host.hasSuffix(".") || host.hasPrefix("0.") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = parts.last, last.first?.isNumber == true, Self.isNumber(last) else { return false }
        return parts.count != 4
            || !parts.allSatisfy { part in
                UInt8(part).map { String($0) == part } ?? false
            }
    }

    private static func isNumber(_ label: Substring) -> Bool {
        label.allSatisfy(\.isNumber)
            || (label.lowercased().hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit))
    }
}
