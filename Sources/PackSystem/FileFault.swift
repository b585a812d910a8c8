/// Why a file cannot be opened, written or put in place. The text names the file and says what to do.
package struct FileFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The disk is full, or the user's quota is.
        case full
        case missing
        case other
    }

    package let kind: Kind
    package let description: String
    /// The `errno` of the failed call, for callers with their own messages.
    package let code: Int32

    package init(_ kind: Kind, _ description: String, code: Int32) {
        self.kind = kind
        self.description = description
        self.code = code
    }
}
