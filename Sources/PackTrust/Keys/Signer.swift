/// Signs messages: a private key in memory, or a holder of one (an HSM, a KMS, a command).
public protocol Signer: Sendable {
    /// The key for verification.
    var publicKey: PublicKey { get }

    /// Signs bytes in the form that the key's scheme requires; see ``KeyScheme``.
    func sign(_ message: [UInt8]) throws -> [UInt8]
}
