package import PackSystem

/// Why a registry refused or failed. The kind decides the HTTP status and the exit code; the text is for people.
package struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable {
        /// The request or the archive is not valid (400, 422).
        case invalid
        /// No or an unknown or an expired token (401).
        case unauthorized
        /// The token does not reach that far (403).
        case forbidden
        case notFound
        /// The version exists with other content, or somebody else's metadata came first (409).
        case conflict
        /// Over a limit (413).
        case tooLarge
        /// Come back later (429, 503).
        case busy
        /// The disk is full (507).
        case full
        /// The registry's files are damaged or newer than this program.
        case unusable
        /// The registry cannot be reached.
        case unreachable
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The error itself, or what a fault of a file is to a registry; nil for any other.
    package init?(from error: any Error) {
        switch error {
        case let error as RegistryError: self = error
        case let fault as FileFault: self.init(fault)
        default: return nil
        }
    }

    package init(_ fault: FileFault) {
        switch fault.kind {
        case .full: self.init(.full, "\(fault); nothing was published half")
        case .missing: self.init(.notFound, "\(fault)")
        case .other: self.init(.unusable, "\(fault)")
        }
    }

    package var description: String { message }
}
