public import Foundation
public import PackTrust

/// The source of a signing key. Its text form is `file:PATH`, `env:NAME` or `command:PROGRAM ARGUMENT …`.
public enum KeySource: Sendable, Equatable, CustomStringConvertible {
    /// A `KeyFile`, or a PEM file if the key is protected by other means.
    case file(URL)
    /// An environment variable that has a PEM private key or the text of a `KeyFile`, in the forms in which CI
    /// systems pass secrets: also as one line, with `\n` for its line breaks, or in base64.
    case environment(String)
    /// A program that has the key, such as the client of a KMS or HSM. It reads the bytes to sign from stdin and
    /// writes the raw signature to stdout. If `publicKey` is nil, the program is asked for it: with the additional
    /// argument `public-key` it writes a PEM public key.
    case command([String], publicKey: PublicKey? = nil)

    /// Parses the text form.
    /// - Throws: `TrustError.invalidKey(reason:)`
    public init(_ text: String) throws(TrustError) {
        // Never echoed: this is how a key itself would get into a log.
        guard !text.contains(where: \.isNewline), !text.contains("PRIVATE KEY") else {
            throw .invalidKey(reason: "the text is a key itself, and should say where the key is (file:PATH, env:NAME)")
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let rest = parts.last, !rest.isEmpty else {
            throw .invalidKey(reason: "\"\(text)\" names no key: use file:PATH, env:NAME or command:PROGRAM")
        }
        switch parts.first {
        case "file": self = .file(URL(fileURLWithPath: rest))
        case "env": self = .environment(rest)
        case "command":
            let words = rest.split(separator: " ").map(String.init)
            guard !words.isEmpty else { throw .invalidKey(reason: "\"\(text)\" names no program") }
            self = .command(words)
        default: throw .invalidKey(reason: "\"\(text)\" names no key: use file:PATH, env:NAME or command:PROGRAM")
        }
    }

    public var description: String {
        switch self {
        case .file(let url): "file:\(url.path)"
        case .environment(let name): "env:\(name)"
        case .command(let words, _): "command:\(words.joined(separator: " "))"
        }
    }

    /// Loads the key and returns its signer.
    ///
    /// - Parameters:
    ///   - environment: The variables to look in.
    ///   - notice: Called if a program has not answered for some seconds, with a sentence for a person.
    ///   - passphrase: Called if the key is encrypted, with a name for the question.
    /// - Throws: `TrustError.invalidKey(reason:)`, `TrustError.store(path:reason:)`, or what `passphrase` throws.
    public func signer(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        notice: (@Sendable (String) -> Void)? = nil,
        passphrase: (String) throws -> String
    ) throws -> any Signer {
        switch self {
        case .file(let url):
            let data: Data
            do { data = try Data(contentsOf: url) } catch {
                throw TrustError.store(path: url.path, reason: Self.reason(error, url))
            }
            let text = WrittenKey.restored(String(decoding: data, as: UTF8.self))
            // What holds no key at all is the wrong file, whoever may read it.
            guard text.hasPrefix("{") ? text.contains("\"packtoolKey\"") : text.contains("-----BEGIN") else {
                throw TrustError.invalidKey(
                    reason:
                        "\(url.path) holds no private key, neither in PEM nor as packtool writes it: is it the right file?"
                )
            }
            try PrivateFile.check(url)
            return try Self.key(in: Array(data), name: url.path, passphrase: passphrase)
        case .environment(let name):
            guard let text = environment[name], !text.isEmpty else {
                throw TrustError.invalidKey(reason: "the environment variable \(name) is not set")
            }
            return try Self.key(in: Array(text.utf8), name: name, passphrase: passphrase)
        case .command(let words, let publicKey):
            return try CommandSigner(command: words, publicKey: publicKey, notice: notice)
        }
    }

    private static func reason(_ error: any Error, _ url: URL) -> String {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            return "there is no such file"
        }
        return isFolder.boolValue
            ? "it is a folder, and a key is a file" : "the key cannot be read: \(error.localizedDescription)"
    }

    private static func key(
        in bytes: [UInt8], name: String, passphrase: (String) throws -> String
    ) throws -> PrivateKey {
        let text = WrittenKey.restored(String(decoding: bytes, as: UTF8.self))
        guard text.hasPrefix("{") else { return try PrivateKey(pem: text) }
        return try KeyFile(parsing: Array(text.utf8)).open(passphrase: try passphrase(name))
    }
}
