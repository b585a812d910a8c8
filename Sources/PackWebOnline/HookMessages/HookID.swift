/// Names one request of one page by the frame's 128 random bits and a count, so that no two requests of a device are
/// confused.
public struct HookID: Hashable, Sendable, CustomStringConvertible {
    /// The frame's part, 32 hexadecimal digits.
    public let nonce: String
    public let number: String

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isNonce(parts[0]), (1...15).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        nonce = String(parts[0])
        number = String(parts[1])
    }

    public var description: String { "\(nonce).\(number)" }

    static func isNonce(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
