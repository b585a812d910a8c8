/// The random name under which a device sends its reports. It says nothing about the device, and the device makes a new
/// one every 30 days and on request.
public struct ReportID: Hashable, Sendable, CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public let text: String

    public var description: String { text }

    /// - Throws: ``FormatError/invalidDocument(_:reason:)``
    public init(_ text: String) throws(FormatError) {
        let isHex = text.utf8.allSatisfy { byte in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
        guard text.utf8.count == 32, isHex else {
            throw .invalidDocument("a report id", reason: "it must have 32 lower-case hexadecimal digits")
        }
        self.text = text
    }

    package init(using generator: inout some RandomNumberGenerator) {
        text = (0..<2).map { _ in
            let hex = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }.joined()
    }
}
