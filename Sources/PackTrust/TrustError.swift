#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why metadata, a target or a key was refused. Each case names the document and the fault, and therefore who has to
/// act. After an error the client installs nothing, and what it trusted before is still trusted.
public enum TrustError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes are not the metadata they should be.
    case malformed(document: String, reason: String)
    /// Fewer keys than the role's threshold signed the document (TUF 1.0.34 §4.2.1, §5.3.4, §5.4.2, §5.5.3, §5.6.3).
    case threshold(role: String, valid: Int, needed: Int)
    /// The version differs from the announced one: §5.3.5, §5.5.4, §5.6.4.
    case wrongVersion(role: String, found: Int, wanted: Int)
    /// The version is below one that was trusted before: §5.4.3, §5.5.5.
    case rollback(role: String, found: Int, trusted: Int)
    /// The version of a delegated role is below the minimum that its delegator signed.
    case belowMinimum(role: String, found: Int, minimum: Int)
    /// A role that an earlier snapshot listed is missing: §5.5.5.
    case roleRemoved(role: String)
    /// The snapshot does not list a delegated role, so its version is unknown.
    case notInSnapshot(role: String)
    /// The metadata has expired, because the repository is frozen or abandoned: §5.3.10, §5.4.4, §5.5.6, §5.6.5.
    case expired(role: String, expires: Date)
    /// Length or hash differ from those in the parent document.
    case mismatch(name: String, reason: String)
    /// The file has more bytes than its limit.
    case tooLarge(name: String, limit: Int)
    /// The repository does not have a file that its metadata names.
    case missing(name: String)
    /// The search for a target met more delegated roles than the limit allows.
    case tooManyDelegations(target: String, limit: Int)
    /// No role that may sign the target lists it.
    case unknownTarget(path: String)
    /// The store has no root to start from, or only a damaged one.
    case noTrustedRoot(reason: String)
    /// A document was updated before the one that vouches for it.
    case outOfOrder(String)
    /// A key that cannot be parsed or used.
    case invalidKey(reason: String)
    /// The metadata store cannot be read or written.
    case store(path: String, reason: String)
    /// The repository cannot be reached.
    case transport(name: String, reason: String)
    /// The rules for a new version of a role forbid a change.
    case refusedChange(role: String, reason: String)

    /// Whether one of these roles no longer holds.
    public func isExpiry(of roles: Set<String>) -> Bool {
        if case .expired(let role, _) = self { roles.contains(role) } else { false }
    }

    public var description: String {
        switch self {
        case .malformed(let document, let reason): "\(document) is not valid: \(reason)"
        case .threshold(let role, let valid, let needed):
            "\(role) is signed by \(valid) of the keys that may sign it; \(needed) \(needed == 1 ? "is" : "are") needed"
        case .wrongVersion(let role, let found, let wanted): "\(role) has version \(found) where \(wanted) is announced"
        case .rollback(let role, let found, let trusted):
            "\(role) would go back from version \(trusted) to \(found): somebody shows an older state than was seen before"
        case .belowMinimum(let role, let found, let minimum):
            "\(role) has version \(found), and the app's owner signed that only version \(minimum) and later ones count: "
                + "somebody shows an older state again"
        case .roleRemoved(let role): "the new snapshot no longer lists \(role)"
        case .notInSnapshot(let role): "the role \(role) is delegated but the snapshot does not list it"
        case .expired(let role, let expires): "\(role) expired at \(MetadataDate.text(of: expires))"
        case .mismatch(let name, let reason): "\(name) is not the file that was signed: \(reason)"
        case .tooLarge(let name, let limit): "\(name) is larger than \(limit) bytes"
        case .missing(let name): "the repository does not have \(name)"
        case .tooManyDelegations(let target, let limit):
            "\(target) was not found in the first \(limit) delegated roles, which is the limit"
        case .unknownTarget(let path): "no role lists \(path)"
        case .noTrustedRoot(let reason): "there is no trusted root to start from: \(reason)"
        case .outOfOrder(let reason): reason
        case .invalidKey(let reason): "the key cannot be used: \(reason)"
        case .store(let path, let reason): "\(path): \(reason)"
        case .transport(let name, let reason): "\(name) cannot be fetched: \(reason)"
        case .refusedChange(let role, let reason): "the new version of \(role) is refused: \(reason)"
        }
    }
}

extension TrustError {
    /// Whether a newer root may explain the failure: other keys, another start. The network and the disk it cannot.
    var mayBeCuredByNewerRoot: Bool {
        switch self {
        case .transport, .store: false
        default: true
        }
    }
}
