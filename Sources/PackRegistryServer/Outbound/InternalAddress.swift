import NIOCore

/// Whether an address belongs to this machine or its network, where a webhook must not lead.
///
/// Who may add webhooks need not be who runs the server. A webhook on the address of a metadata service, a database or the server
/// itself would make the server ask for them (server-side request forgery).
///
/// Source: the special-purpose registries of IANA (RFC 6890), all but what is globally reachable.
enum InternalAddress {
    private static let blocks4: [(base: [UInt8], bits: Int)] = [
        ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([169, 254, 0, 0], 16),
        ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24),
        ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),
    ]

    /// nil counts as one: an address that cannot be read is not connected to.
    static func isOne(_ address: SocketAddress) -> Bool {
        guard let text = address.ipAddress, let bytes = ClientAddress.parse(text) else { return true }
        return isOne(bytes)
    }

    /// - Parameter bytes: 4, or 16.
    static func isOne(_ bytes: [UInt8]) -> Bool {
        if bytes.count == 4 { return blocks4.contains { isIn(bytes, $0.base, $0.bits) } }
        // Of IPv6 only 2000::/3 is given to anybody.
        guard bytes.count == 16, bytes[0] & 0xE0 == 0x20 else {
            // 64:ff9b::/96 leads to IPv4 (RFC 6052).
            let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
            return bytes.count == 16 && Array(bytes.prefix(12)) == translated ? isOne(Array(bytes.suffix(4))) : true
        }
        // 6to4 (RFC 3056), Teredo and the rest of 2001::/23, documentation (RFC 3849, RFC 9637).
        if isIn(bytes, [0x20, 0x02], 16) { return isOne(Array(bytes[2..<6])) }
        return isIn(bytes, [0x20, 0x01, 0x00], 23) || isIn(bytes, [0x20, 0x01, 0x0D, 0xB8], 32)
            || isIn(bytes, [0x3F, 0xFF, 0x00], 20)
    }

    private static func isIn(_ bytes: [UInt8], _ base: [UInt8], _ bits: Int) -> Bool {
        for bit in 0..<bits {
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            if bytes[bit / 8] & mask != base[bit / 8] & mask { return false }
        }
        return true
    }
}
