/// Why a file cannot be opened, written or put in place; the text names it and says what to do.
package struct FileFault: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The disk, or the user's part of it.
        case full
        case missing
        case other
    }

    package let kind: Kind
    package let description: String
    /// The `errno` of the call that failed, for who says it in words of their own.
    package let code: Int32

    package init(_ kind: Kind, _ description: String, code: Int32) {
        self.kind = kind
        self.description = description
        self.code = code
    }
}
