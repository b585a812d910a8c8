/// Why a page's message was not done. The page gets it as an error; nothing of the app is in it.
public struct HookFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable, for reports and tests.
    public enum Code: String, Hashable, Sendable {
        /// No message of this schema.
        case invalid
        /// The page speaks another version of the schema.
        case version
        /// More bytes than allowed, in a message, a body or in all.
        case tooLarge
        /// The page's origin may not do this.
        case origin
        /// No request or body of this id is known: it ended, or it is another page's.
        case unknown
        /// The app does not offer this.
        case unavailable
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
