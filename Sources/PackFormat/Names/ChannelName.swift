/// The name of a channel: a DNS label in lower case, such as `beta`.
public struct ChannelName: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    /// - Throws: ``FormatError/invalidChannelName(_:)``
    public init(_ text: String) throws(FormatError) {
        guard DNSLabel.isValid(text) else { throw .invalidChannelName(text) }
        self.text = text
    }

    public var description: String { text }

    public static func < (left: ChannelName, right: ChannelName) -> Bool { left.text < right.text }
}
