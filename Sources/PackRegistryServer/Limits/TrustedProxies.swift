import HTTPTypes
import PackRegistryAPI

/// The proxies in front of a server, and the header field in which they name their clients. The field is ignored in
/// requests from others, because anybody can send it.
package struct TrustedProxies: Sendable {
    package enum Field: String, CaseIterable, Sendable {
        case forwardedFor = "X-Forwarded-For"
        /// RFC 7239.
        case forwarded = "Forwarded"
    }

    /// One address or block.
    private struct Block: Sendable {
        let bytes: [UInt8]
        let bitCount: Int

        init?(_ text: String) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let bytes = ClientAddress.parse(String(parts[0])) else { return nil }
            self.bytes = bytes
            let all = bytes.count * 8
            guard parts.count == 2 else {
                bitCount = all
                return
            }
            guard let count = Int(parts[1]), (0...all).contains(count) else { return nil }
            bitCount = count
        }

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == bytes.count else { return false }
            let (whole, rest) = (bitCount / 8, bitCount % 8)
            guard address.prefix(whole) == bytes.prefix(whole) else { return false }
            return rest == 0 || (address[whole] ^ bytes[whole]) >> (8 - rest) == 0
        }
    }

    private var blocks: [Block] = []
    private var field = Field.forwardedFor

    /// Trusts nobody.
    package init() {}

    /// - Parameter addresses: Addresses, or blocks such as `10.0.0.0/8`.
    /// - Throws: ``RegistryError`` for a text that is neither.
    package init(_ addresses: [String], field: Field = .forwardedFor) throws {
        self.field = field
        blocks = try addresses.map { text in
            guard let block = Block(text) else {
                throw RegistryError(
                    .invalid, "\"\(text)\" is no address of a proxy: give one such as 10.0.0.7 or 10.0.0.0/24")
            }
            return block
        }
    }

    /// - Parameter address: without a port.
    func contains(_ address: String) -> Bool {
        guard !blocks.isEmpty, let bytes = ClientAddress.parse(address) else { return false }
        return blocks.contains { $0.contains(bytes) }
    }

    /// Who asks: the last hop in the field that is none of the proxies. Those before it are only what that hop says.
    /// - Parameter peer: who is on the other end of the connection.
    func client(of peer: String, _ fields: HTTPFields) -> ClientAddress? {
        guard contains(peer), let name = HTTPField.Name(field.rawValue) else { return ClientAddress(peer) }
        let hops = fields[values: name].flatMap { $0.split(separator: ",") }.map { hop in
            field == .forwarded ? Self.node(in: hop) : Self.address(Self.trimmed(hop))
        }
        var last = peer
        for hop in hops.reversed() {
            // A name that hides the address ("unknown", "_gateway"): the proxy that said it stands for all behind it.
            guard ClientAddress.parse(hop) != nil else { break }
            last = hop
            if !contains(hop) { break }
        }
        return ClientAddress(last)
    }

    /// The `for` of one element of `Forwarded`.
    private static func node(in element: Substring) -> String {
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, trimmed(parts[0]).lowercased() == "for" else { continue }
            return address(trimmed(parts[1]).filter { $0 != "\"" })
        }
        return ""
    }

    /// Without the port that some proxies add.
    private static func address(_ text: String) -> String {
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        return text.count { $0 == ":" } == 1 ? String(text.prefix { $0 != ":" }) : text
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
