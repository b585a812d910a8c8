import PackFormat

/// Gives each network one of 1,024 numbers, by a hash with a secret of this registry.
///
/// A gate needs to know whether failures come from many networks, and no address is to be stored. Each number is shared by 16,384
/// IPv4 networks, so it tells nobody's place, also to somebody who has the secret.
package struct NetworkNumbers: Sendable {
    package static let count = 1024

    private let key: [UInt8]

    package init(key: [UInt8]) {
        self.key = key
    }

    package static func newKey() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// - Parameter network: what its addresses have in common.
    package func number(of network: [UInt8]) -> Int {
        let hash = Digest(of: key + network).bytes
        return (Int(hash[0]) << 8 | Int(hash[1])) % Self.count
    }
}
