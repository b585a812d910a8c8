/// The most that a client reads from a repository, so that no answer is endless. All limits are in bytes except the
/// last two.
public struct TrustLimits: Sendable, Equatable {
    public var rootByteCount = 512_000
    public var timestampByteCount = 16_384
    /// The limit applies even if the timestamp states a greater length.
    public var snapshotByteCount = 2_000_000
    /// The limit applies even if the snapshot states a greater length.
    public var targetsByteCount = 5_000_000
    /// The most new roots in one refresh; the next refresh continues there (§5.3.3).
    public var rootRotations = 256
    /// The most delegated roles in the search for one target (§5.6.7.1).
    public var delegations = 32

    /// The limits of TUF's own reference client, with one difference: if a target is not found within the limit on
    /// roles, it is an error instead of "there is no such target".
    public init() {}
}
