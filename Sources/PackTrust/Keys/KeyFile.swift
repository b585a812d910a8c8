import Crypto
import CryptoExtras
import PackJSON
import PackSystem

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// A private key in a file, encrypted with a passphrase.
///
/// The file is JSON, readable only by its owner (0600). It has the public key in the clear, so that others can find
/// out which key it is, and the private key (PKCS#8 PEM) under AES-256-GCM with a key that scrypt derives from the
/// passphrase. The parameters of scrypt are in the file; the public key and the parameters are authenticated with the
/// private key.
///
///     let file = try KeyFile.sealing(try PrivateKey.generate(.ed25519), passphrase: passphrase)
///     try file.write(to: url)
///     let key = try KeyFile(contentsOf: url).open(passphrase: passphrase)
public struct KeyFile: Sendable, Equatable {
    /// What scrypt costs whoever guesses a passphrase.
    struct Parameters: Sendable, Equatable {
        /// 2 to this power rounds; with a block size of 8 each guess takes 1 KB times the rounds of memory.
        var roundsExponent = 15
        var blockSize = 8
        var parallelism = 1

        /// A file may not make its reader work for hours or take gigabytes.
        func check() throws(TrustError) {
            guard (14...20).contains(roundsExponent), blockSize == 8, (1...16).contains(parallelism) else {
                throw .invalidKey(reason: "the key file asks for scrypt parameters that are too weak or too costly")
            }
        }
    }

    private static let format = 1
    private static let limit = 65_536

    /// The key for verification. It can be read without the passphrase.
    public let publicKey: PublicKey
    private let parameters: Parameters
    private let salt: [UInt8]
    /// Nonce, ciphertext and tag.
    private let sealed: [UInt8]

    /// Encrypts a private key.
    /// - Throws: ``TrustError/invalidKey(reason:)`` for an empty passphrase.
    public static func sealing(_ key: PrivateKey, passphrase: String) throws(TrustError) -> KeyFile {
        guard !passphrase.isEmpty else { throw .invalidKey(reason: "the passphrase is empty") }
        let parameters = Parameters()
        let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        do {
            let box = try AES.GCM.seal(
                Array(key.pem.utf8),
                using: try encryptionKey(passphrase: passphrase, salt: salt, parameters: parameters),
                authenticating: authenticated(publicKey: key.publicKey, parameters: parameters, salt: salt))
            guard let sealed = box.combined else { throw CryptoKitError.incorrectParameterSize }
            return KeyFile(publicKey: key.publicKey, parameters: parameters, salt: salt, sealed: Array(sealed))
        } catch {
            throw .invalidKey(reason: "it cannot be encrypted: \(error)")
        }
    }

    /// The reason if the passphrase does not open the file. Which of the two it is, nobody can tell.
    package static let wrongPassphrase = "the passphrase is wrong, or the key file was changed"

    /// Decrypts the private key.
    /// - Throws: ``TrustError/invalidKey(reason:)`` if the passphrase is wrong or the file was changed.
    public func open(passphrase: String) throws(TrustError) -> PrivateKey {
        let pem: Data
        do {
            pem = try AES.GCM.open(
                try AES.GCM.SealedBox(combined: sealed),
                using: try Self.encryptionKey(passphrase: passphrase, salt: salt, parameters: parameters),
                authenticating: Self.authenticated(publicKey: publicKey, parameters: parameters, salt: salt))
        } catch {
            throw .invalidKey(reason: Self.wrongPassphrase)
        }
        let key = try PrivateKey(pem: String(decoding: pem, as: UTF8.self))
        guard key.publicKey.isSameKey(as: publicKey) else {
            throw .invalidKey(reason: "the key file's public key is not that of its private key")
        }
        return key
    }

    // MARK: The file

    /// Reads a key file from disk.
    /// - Throws: ``TrustError/invalidKey(reason:)``, ``TrustError/store(path:reason:)``
    public init(contentsOf url: URL) throws(TrustError) {
        let data: Data
        do { data = try Data(contentsOf: url) } catch {
            throw .store(path: url.path, reason: "the key file cannot be read: \(SystemCall.reason(of: error))")
        }
        try self.init(parsing: Array(data))
    }

    /// Parses the text of a key file.
    /// - Throws: ``TrustError/invalidKey(reason:)``
    public init(parsing bytes: [UInt8]) throws(TrustError) {
        guard bytes.count <= Self.limit else { throw .invalidKey(reason: "the key file is too large") }
        do {
            let object = try JSONValue(parsing: bytes).object("the key file")
            guard try object.integer("packtoolKey") == Self.format else {
                throw MetadataFault("it has a format that this program does not know; update the program")
            }
            let published = try object.object("public")
            guard let scheme = KeyScheme(rawValue: try published.string("scheme")) else {
                throw MetadataFault("its key is of an unknown kind")
            }
            publicKey = try PublicKey(scheme: scheme, value: try published.string("value"))
            let encryption = try object.object("encryption")
            guard try encryption.string("cipher") == "aes-256-gcm", try encryption.string("derivation") == "scrypt"
            else { throw MetadataFault("it is encrypted in a way that this program does not know") }
            parameters = Parameters(
                roundsExponent: try encryption.integer("roundsExponent"),
                blockSize: try encryption.integer("blockSize"), parallelism: try encryption.integer("parallelism"))
            try parameters.check()
            guard let salt = [UInt8](hexadecimal: try encryption.string("salt")), salt.count == 32,
                let sealed = [UInt8](hexadecimal: try encryption.string("sealed"))
            else { throw MetadataFault("its salt or its sealed key is damaged") }
            self.salt = salt
            self.sealed = sealed
        } catch let error as TrustError {
            throw error
        } catch {
            throw .invalidKey(reason: "the key file is damaged: \(error)")
        }
    }

    private init(publicKey: PublicKey, parameters: Parameters, salt: [UInt8], sealed: [UInt8]) {
        self.publicKey = publicKey
        self.parameters = parameters
        self.salt = salt
        self.sealed = sealed
    }

    /// The text of the file.
    public var bytes: [UInt8] {
        let value: JSONValue = .object([
            "packtoolKey": .integer(Self.format),
            "public": .object([
                "id": .string(publicKey.id), "scheme": .string(publicKey.scheme?.rawValue ?? ""),
                "value": .string(publicKey.value),
            ]),
            "encryption": .object([
                "cipher": "aes-256-gcm", "derivation": "scrypt",
                "roundsExponent": .integer(parameters.roundsExponent), "blockSize": .integer(parameters.blockSize),
                "parallelism": .integer(parameters.parallelism), "salt": .string(salt.hexadecimal),
                "sealed": .string(sealed.hexadecimal),
            ]),
        ])
        return Array((value.prettyText + "\n").utf8)
    }

    /// Writes a new file durably that only its owner can read. It never overwrites an existing file, which may be the
    /// only copy of a key.
    /// - Throws: ``TrustError/store(path:reason:)``
    public func write(to url: URL) throws(TrustError) {
        try DurableFile.create(url, bytes: bytes, permissions: 0o600)
    }

    // MARK: Secrets

    private static func encryptionKey(
        passphrase: String, salt: [UInt8], parameters: Parameters
    ) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: Array(passphrase.utf8), salt: salt, outputByteCount: 32, rounds: 1 << parameters.roundsExponent,
            blockSize: parameters.blockSize, parallelism: parameters.parallelism)
    }

    private static func authenticated(publicKey: PublicKey, parameters: Parameters, salt: [UInt8]) -> [UInt8] {
        Array(
            ("packtool key \(format) \(publicKey.id) scrypt \(parameters.roundsExponent) \(parameters.blockSize) "
                + "\(parameters.parallelism) \(salt.hexadecimal)").utf8)
    }
}
