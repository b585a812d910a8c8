import ArgumentParser
import Foundation
import PackJSON
import PackPublisher
import PackTrust

/// `packtool keys generate`.
struct KeysGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Make a key in the project's key folder.",
        discussion: HelpText.flowing(
            """
            If PACKTOOL_PASSPHRASE is set, the file is encrypted. The command prints the public key, which
            packtool keys delegate accepts.
            """))

    @Argument(help: "root, owner or publisher.")
    var name: KeyFolder.Name

    @Option(help: "The kind of key.")
    var scheme = KeyScheme.ed25519

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let made = try KeyProject(registry, console: options.console).keys.make(name, scheme: scheme)
        options.console.result(
            KeyText.text(made.key.publicKey),
            json: .object([
                "name": .string(name.rawValue), "file": .string(made.file.path),
                "key": .object(KeyText.json(made.key.publicKey)),
            ]))
        options.console.note("wrote \(made.file.path): keep it secret, and keep a copy")
    }
}

extension KeyFolder.Name: ExpressibleByArgument {}

/// The forms of keys on the command line: `SCHEME:VALUE`, or a PEM file.
enum KeyText {
    static func text(_ key: PublicKey) -> String {
        let value = key.value.trimmingCharacters(in: .whitespacesAndNewlines)
        return key.scheme == .ed25519 ? "ed25519:\(value)" : value
    }

    static func json(_ key: PublicKey) -> JSONObject {
        ["id": .string(key.id), "scheme": .string(key.scheme?.rawValue ?? "unknown"), "value": .string(key.value)]
    }

    static func parse(_ text: String) throws -> PublicKey {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2, let scheme = KeyScheme(rawValue: parts[0]) {
            return try PublicKey(scheme: scheme, value: parts[1])
        }
        guard let pem = try? String(contentsOfFile: text, encoding: .utf8) else {
            throw CommandFailure("\(text) is neither a PEM file nor a key such as ed25519:HEX")
        }
        return try PublicKey(pem: pem)
    }
}
