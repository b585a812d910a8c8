import Foundation
import NIOCore

/// What counts as one client: an IPv4 address, or a /64 of IPv6, which is what a single customer gets.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 bytes, or the first 8 of 16.
    let bytes: [UInt8]

    package var description: String {
        bytes.count == 4
            ? bytes.map(String.init).joined(separator: ".")
            : stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
                .joined(separator: ":") + "::/64"
    }

    /// What one network has in common: 24 bits of IPv4, 48 of IPv6.
    var network: [UInt8] { Array(bytes.prefix(bytes.count == 4 ? 3 : 6)) }

    /// - Parameter text: An address without a port, with or without brackets; `::ffff:192.0.2.1` is the IPv4 address.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        guard let all = Self.parse(text) else { return nil }
        self.init(all: all)
    }

    /// nil if the other side has no address, as on a socket in the file system.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    init(all: [UInt8]) {
        bytes = all.count == 4 ? all : Array(all.prefix(8))
    }

    /// All bytes of an address: 4 or 16.
    static func parse(_ text: String) -> [UInt8]? {
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, text, &four) == 1 { return four }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard let plain = text.split(separator: "%").first, inet_pton(AF_INET6, String(plain), &bytes) == 1 else {
            return nil
        }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }
}
