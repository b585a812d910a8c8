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

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
