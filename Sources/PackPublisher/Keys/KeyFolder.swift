package import Foundation
package import PackKeys
import PackRegistryAPI
import PackSystem
package import PackTrust

/// The private keys of a project in `.packtool/keys/`, readable only by their owner: `NAME.pem`, or `NAME.json` if a
/// passphrase protects it.
package struct KeyFolder: Sendable {
    /// The role of a key.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        /// Signs root, which names all other keys. It is needed rarely; keep it offline.
        case root
        /// Signs targets: which key may publish which package.
        case owner
        /// Signs the packages that this project publishes.
        case publisher

        /// The environment variable that replaces the key in the folder: a PEM text, the text of a key file,
        /// `file:PATH`, `env:NAME`, `command:PROGRAM ARGUMENT …`, or the path of a file.
        package var variable: String {
            switch self {
            case .root: "PACKTOOL_ROOT_KEY"
            case .owner: "PACKTOOL_OWNER_KEY"
            case .publisher: "PACKTOOL_KEY"
            }
        }
    }

    /// The environment variable for the passphrase of the key files.
    package static let passphraseVariable = "PACKTOOL_PASSPHRASE"

    package let folder: URL
    private let environment: [String: String]
    private let notice: (@Sendable (String) -> Void)?
    private let askPassphrase: @Sendable (String) throws -> String

    /// - Parameters:
    ///   - notice: Called if a program that has the key has not answered for some seconds, with a sentence for a person.
    ///   - askPassphrase: Called for an encrypted key if the environment has no passphrase.
    package init(
        folder: URL, environment: [String: String] = [:], notice: (@Sendable (String) -> Void)? = nil,
        askPassphrase: @escaping @Sendable (String) throws -> String = { name in
            throw RegistryError(.invalid, "\(name) is encrypted: give its passphrase in \(passphraseVariable)")
        }
    ) {
        self.folder = folder
        self.environment = environment
        self.notice = notice
        self.askPassphrase = askPassphrase
    }

    /// The key's file: the existing one, or else the one that would be created.
    package func file(of name: Name) -> URL {
        let encrypted = folder.appending(path: "\(name.rawValue).json", directoryHint: .notDirectory)
        return SystemCall.size(of: encrypted) == nil ? plainFile(of: name) : encrypted
    }

    /// The source of the key; nil if the key is not available.
    package func source(_ name: Name) throws -> KeySource? {
        if let text = environment[name.variable], !text.isEmpty {
            let isReference = ["file:", "env:", "command:"].contains { text.hasPrefix($0) }
            if isReference { return try KeySource(text) }
            // As GitLab hands on a variable of the type File.
            let path = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let isPath = path.utf8.count < 4096 && !path.contains("PRIVATE KEY") && !path.contains(where: \.isNewline)
            return isPath && FileManager.default.fileExists(atPath: path)
                ? .file(URL(filePath: path)) : .environment(name.variable)
        }
        let file = file(of: name)
        return SystemCall.size(of: file) == nil ? nil : .file(file)
    }

    /// The key as a signer; nil if the key is not available.
    package func signer(_ name: Name) throws -> (any Signer)? {
        try source(name).map { try open($0, "the \(name.rawValue) key") }
    }

    /// The id of the key, which an encrypted key file tells without its passphrase; nil if the key is not available.
    package func id(of name: Name) throws -> String? {
        guard let source = try source(name) else { return nil }
        if case .file(let url) = source, url.pathExtension == "json", let file = try? KeyFile(contentsOf: url) {
            return file.publicKey.id
        }
        return try signer(name)?.publicKey.id
    }

    /// A signer from another source: `file:PATH`, `env:NAME` or `command:PROGRAM ARGUMENT …`.
    package func signer(from text: String) throws -> any Signer {
        do {
            return try open(KeySource(text), "the key")
        } catch let error as TrustError {
            throw RegistryError(.invalid, "\(error)")
        }
    }

    private func open(_ source: KeySource, _ what: String) throws -> any Signer {
        do {
            return try source.signer(environment: environment, notice: notice) { [environment] file in
                // Set and empty, as CI systems leave a secret that a job may not see, is not given.
                try environment[Self.passphraseVariable].flatMap { $0.isEmpty ? nil : $0 } ?? askPassphrase(file)
            }
        } catch TrustError.invalidKey(let reason) where reason == KeyFile.wrongPassphrase {
            let given = environment[Self.passphraseVariable].map { !$0.isEmpty } == true
            throw RegistryError(
                .invalid,
                "\(what) (\(source)): the passphrase \(given ? "in \(Self.passphraseVariable) " : "")does not open it, or the key "
                    + "file was changed. Give the passphrase that it was made with, or restore the file from your copy")
        } catch let error as TrustError {
            throw RegistryError(.invalid, "\(what) (\(source)): \(error)\(hint(for: source))")
        }
    }

    /// What a variable may hold, and what it looks like that it holds. The text itself is never shown: it may be a key.
    private func hint(for source: KeySource) -> String {
        guard case .environment(let name) = source, let text = environment[name], !text.isEmpty else { return "" }
        let forms =
            ". \(name) takes a PEM text (its line breaks may be written as \\n), base64 of one, or the path of a key file"
        if text.contains("PUBLIC KEY") {
            return "\(forms). It holds a public key: the private one is in .packtool/keys where packtool init ran"
        }
        let isPath = text.utf8.count < 4096 && text.contains("/") && !text.contains(where: \.isNewline)
        return isPath && !text.contains("PRIVATE KEY")
            ? "\(forms). It looks like a path, and there is no file of that name, seen from "
                + FileManager.default.currentDirectoryPath
            : "\(forms); it holds none of them: \(text.utf8.count) characters, and there is no file of that name"
    }

    /// The keys for publishing.
    package func signingKeys() throws -> SigningKeys {
        try SigningKeys(
            publisher: [signer(.publisher)].compactMap(\.self), owner: [signer(.owner)].compactMap(\.self))
    }

    /// Makes a key and its file. It never overwrites an existing one.
    package func make(_ name: Name, scheme: KeyScheme = .ed25519) throws -> (key: PrivateKey, file: URL) {
        let existing = file(of: name)
        guard SystemCall.size(of: existing) == nil else {
            throw RegistryError(.conflict, "\(existing.path(percentEncoded: false)) exists already")
        }
        let key = try PrivateKey.generate(scheme)
        return (key, try save(key, named: name.rawValue))
    }

    /// Writes a new key under its id before it replaces the key of this name. From here on it cannot be lost.
    package func keepPending(_ key: PrivateKey, as name: Name) throws -> URL {
        try save(key, named: "\(name.rawValue)-\(key.publicKey.id.prefix(8))")
    }

    /// Puts a pending key in place and keeps the old one under its id.
    package func activate(_ pending: URL, as name: Name, oldID: String) throws {
        let old = file(of: name)
        if SystemCall.size(of: old) != nil {
            try SystemCall.rename(
                old,
                to: folder.appending(
                    path: "\(name.rawValue)-\(oldID.prefix(8)).\(old.pathExtension)", directoryHint: .notDirectory))
        }
        let place = folder.appending(path: "\(name.rawValue).\(pending.pathExtension)", directoryHint: .notDirectory)
        try SystemCall.rename(pending, to: place)
        try SystemCall.synchronize(folder)
    }

    private func save(_ key: PrivateKey, named name: String) throws -> URL {
        try ProjectFolder(folder.deletingLastPathComponent()).make()
        try SystemCall.makeFolders(folder)
        if let passphrase = environment[Self.passphraseVariable], !passphrase.isEmpty {
            let file = folder.appending(path: "\(name).json", directoryHint: .notDirectory)
            try KeyFile.sealing(key, passphrase: passphrase).write(to: file)
            return file
        }
        let file = folder.appending(path: "\(name).pem", directoryHint: .notDirectory)
        let temporary = folder.appending(path: ".\(name)-\(UUID().uuidString)", directoryHint: .notDirectory)
        let descriptor = try SystemCall.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(key.pem.utf8))
        try SystemCall.synchronize(descriptor, temporary)
        try SystemCall.rename(temporary, to: file)
        try SystemCall.synchronize(folder)
        return file
    }

    private func plainFile(of name: Name) -> URL {
        folder.appending(path: "\(name.rawValue).pem", directoryHint: .notDirectory)
    }
}
