/// How much a repository may make a client read, so that no answer is endless. In bytes, but for the last two.
public struct TrustLimits: Sendable, Equatable {
    public var rootByteCount = 512_000
    public var timestampByteCount = 16_384
    /// Holds also where the timestamp states a greater length.
    public var snapshotByteCount = 2_000_000
    /// Holds also where the snapshot states a greater length.
    public var targetsByteCount = 5_000_000
    /// New roots in one refresh; the next refresh goes on from there (§5.3.3).
    public var rootRotations = 256
    /// Delegated roles looked at for one target (§5.6.7.1).
    public var delegations = 32

    /// The limits of TUF's own reference client, but for one: a target that is not found within the limit on roles
    /// is an error, and not "there is no such target".
    public init() {}
}
