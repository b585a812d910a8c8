package import PackSystem

/// Why a registry refused a request or failed. The kind decides the HTTP status and the exit code; the text is for
/// people.
package struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable {
        /// The request or the archive is not valid (400, 422).
        case invalid
        /// There is no token, or it is unknown or expired (401).
        case unauthorized
        /// The token's scope does not include the action (403).
        case forbidden
        case notFound
        /// The version exists with other content, or somebody else's metadata came first (409).
        case conflict
        /// It is so already (409).
        case nothingToDo
        /// The channel requires approvals, so the change must be proposed (409).
        case needsApproval
        /// A limit is exceeded (413).
        case tooLarge
        /// The registry is busy: try again later (429, 503).
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

    /// The error itself, or the registry's error for a fault of a file; nil for any other error.
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
