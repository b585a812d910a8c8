/// Where a client keeps what it trusts, by file name: `root.json`, `timestamp.json`, …, and `root_history/N.root.json`.
///
/// Whatever was written is verified again when it is read, so that a damaged or tampered store costs a download and
/// nothing else.
public protocol TrustStore: Sendable {
    /// The bytes under a name; nil if there are none.
    func read(_ name: String) throws -> [UInt8]?

    /// Replaces the bytes under a name: afterwards, also after a power cut, either the old ones or the new ones are
    /// there, whole; once this returns, the new ones.
    func write(_ bytes: [UInt8], to name: String) throws

    /// Removes a name; one that is not there is no error.
    func remove(_ name: String) throws
}
