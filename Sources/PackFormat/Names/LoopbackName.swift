/// Hosts that only this machine reaches, so that what travels to them need not be encrypted.
package enum LoopbackName {
    /// `localhost`, `::1` and 127.0.0.0/8 (RFC 6890, section 2.2.2); a name that only begins like an address is none, and
    /// neither is one below `localhost`, which a resolver may ask the network for.
    package static func isOne(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress =
            parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
        return isAddress || host == "localhost" || host == "::1" || host == "[::1]"
    }
}
