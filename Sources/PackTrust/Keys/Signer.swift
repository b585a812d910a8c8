/// What can sign: a private key in memory, or something that holds one and answers (an HSM, a KMS, a command).
public protocol Signer: Sendable {
    /// The key by which others verify.
    var publicKey: PublicKey { get }

    /// Signs the bytes given, in the form that the key's scheme asks for; see ``KeyScheme``.
    func sign(_ message: [UInt8]) throws -> [UInt8]
}
