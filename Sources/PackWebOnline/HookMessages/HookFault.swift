/// Why a page's message was not executed. The page gets it as an error, which contains nothing about the app.
public struct HookFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes for reports and tests.
    public enum Code: String, Hashable, Sendable {
        /// The message does not follow the schema.
        case invalid
        /// The page speaks another version of the schema.
        case version
        /// More bytes than allowed, in a message, a body or in all.
        case tooLarge
        /// The page's origin has no right to do this.
        case origin
        /// No request or body with this id is known: it has ended, or belongs to another page.
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
