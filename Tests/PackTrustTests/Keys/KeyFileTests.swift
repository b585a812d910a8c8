import Foundation
import PackJSON
import PackKeys
import PackTrust
import Testing

struct KeyFileTests {
    @Test(arguments: KeyScheme.allCases)
    func `a key comes back from its file with the passphrase and only with it`(scheme: KeyScheme) throws {
        let key = try PrivateKey.generate(scheme)
        let file = try KeyFile(parsing: try KeyFile.sealing(key, passphrase: "corr\u{E9}ct horse").bytes)
        #expect(file.publicKey == key.publicKey)
        #expect(try file.open(passphrase: "corr\u{E9}ct horse").publicKey == key.publicKey)
        #expect(throws: TrustError.invalidKey(reason: "the passphrase is wrong, or the key file was changed")) {
            try file.open(passphrase: "corr\u{E9}ct horse ")
        }
    }

    @Test func `the private half is nowhere in the file`() throws {
        let key = try PrivateKey.generate(.ed25519)
        let text = String(decoding: try KeyFile.sealing(key, passphrase: "p").bytes, as: UTF8.self)
        let secret = try #require(key.pem.split(separator: "\n").dropFirst().first)
        #expect(!text.contains(secret) && !text.contains("PRIVATE"))
    }

    @Test func `a changed file is refused`() throws {
        let key = try PrivateKey.generate(.ed25519)
        let other = try PrivateKey.generate(.ed25519)
        let file = try KeyFile.sealing(key, passphrase: "p")
        let text = String(decoding: file.bytes, as: UTF8.self)
        let swapped = text.replacingOccurrences(of: key.publicKey.value, with: other.publicKey.value)
        #expect(throws: TrustError.self) { try KeyFile(parsing: Array(swapped.utf8)).open(passphrase: "p") }
        for (part, replacement) in [
            ("\"packtoolKey\": 1", "\"packtoolKey\": 2"), ("\"roundsExponent\": 15", "\"roundsExponent\": 1"),
            ("\"roundsExponent\": 15", "\"roundsExponent\": 40"), ("\"blockSize\": 8", "\"blockSize\": 1073741824"),
            ("\"parallelism\": 1", "\"parallelism\": 0"), ("\"scheme\": \"ed25519\"", "\"scheme\": \"x\""),
            ("\"sealed\": \"", "\"sealed\": \"x"), ("\"salt\": \"", "\"salt\": \"00"),
        ] {
            #expect(text.contains(part))
            let bent = text.replacingOccurrences(of: part, with: replacement)
            #expect(throws: TrustError.self, "\(part)") { try KeyFile(parsing: Array(bent.utf8)) }
        }
        let weaker = text.replacingOccurrences(of: "\"roundsExponent\": 15", with: "\"roundsExponent\": 14")
        #expect(throws: TrustError.self) { try KeyFile(parsing: Array(weaker.utf8)).open(passphrase: "p") }
    }

    @Test func `the file is its owner's only, and is never overwritten`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("key.json")
        let file = try KeyFile.sealing(try PrivateKey.generate(.ed25519), passphrase: "p")
        try file.write(to: url)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try KeyFile(contentsOf: url) == file)
        let second = try KeyFile.sealing(try PrivateKey.generate(.ed25519), passphrase: "p")
        #expect(throws: TrustError.self) { try second.write(to: url) }
        #expect(try KeyFile(contentsOf: url) == file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key.json"])
    }

    @Test func `an empty passphrase is refused`() throws {
        #expect(throws: TrustError.self) { try KeyFile.sealing(try PrivateKey.generate(.ed25519), passphrase: "") }
    }
}

struct KeySourceTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("source-\(UUID().uuidString)")

    private func noPassphrase(_ name: String) throws -> String {
        Issue.record("nobody should ask for a passphrase")
        return ""
    }

    @Test func `a key that others can read is not used, and the message says what to do`() throws {
        let pem = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: pem) }
        let key = try PrivateKey.generate(.ed25519)
        try Data(key.pem.utf8).write(to: pem)
        for mode in [0o644, 0o640, 0o620] as [mode_t] {
            chmod(pem.path, mode)
            let error = #expect(throws: TrustError.self) { try KeySource.file(pem).signer { _ in "" } }
            #expect(error?.description.contains("run chmod 600 '\(pem.path)'") == true)
        }
        chmod(pem.path, 0o600)
        #expect(try KeySource.file(pem).signer { _ in "" }.publicKey == key.publicKey)
    }

    @Test func `the written forms are read and written`() throws {
        #expect(try KeySource("file:/a b") == .file(URL(fileURLWithPath: "/a b")))
        #expect(try KeySource("env:NAME") == .environment("NAME"))
        #expect(try KeySource("command:kms sign --key x") == .command(["kms", "sign", "--key", "x"]))
        for text in ["file:/a", "env:NAME", "command:kms sign"] { #expect(try "\(KeySource(text))" == text) }
        for text in ["", "file", "file:", "other:x", "command: "] {
            #expect(throws: TrustError.self) { try KeySource(text) }
        }
    }

    @Test func `a key is taken from a file or a variable, encrypted or not`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try PrivateKey.generate(.ecdsa)
        let sealed = try KeyFile.sealing(key, passphrase: "secret")
        let pem = folder.appendingPathComponent("key.pem")
        let json = folder.appendingPathComponent("key.json")
        try Data(key.pem.utf8).write(to: pem)
        chmod(pem.path, 0o600)
        try sealed.write(to: json)
        let plain = try KeySource.file(pem).signer(passphrase: noPassphrase)
        #expect(plain.publicKey == key.publicKey)
        var asked: [String] = []
        let opened = try KeySource.file(json).signer { name in
            asked.append(name)
            return "secret"
        }
        #expect(opened.publicKey == key.publicKey)
        // Several folders have a file of that name.
        #expect(asked == [json.path])
        let variables = ["PEM": key.pem, "SEALED": String(decoding: sealed.bytes, as: UTF8.self)]
        #expect(
            try KeySource.environment("PEM").signer(environment: variables, passphrase: noPassphrase).publicKey
                == key.publicKey)
        #expect(
            try KeySource.environment("SEALED").signer(environment: variables) { _ in "secret" }.publicKey
                == key.publicKey)
        #expect(throws: TrustError.invalidKey(reason: "the environment variable NONE is not set")) {
            try KeySource.environment("NONE").signer(environment: [:], passphrase: noPassphrase)
        }
        #expect(throws: TrustError.self) {
            try KeySource.file(folder.appendingPathComponent("none")).signer(passphrase: noPassphrase)
        }
    }

    /// OpenSSL in the place of a KMS: it holds the key, and our side never sees it.
    @Test func `a key that another program holds signs through it`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let pem = folder.appendingPathComponent("key.pem")
        let key = try PrivateKey.generate(.ecdsa)
        try Data(key.pem.utf8).write(to: pem)
        let program = folder.appendingPathComponent("kms")
        let script = """
            #!/bin/sh
            if [ "$1" = public-key ]; then exec openssl pkey -in "\(pem.path)" -pubout; fi
            exec openssl dgst -sha256 -sign "\(pem.path)"

            """
        try Data(script.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        let signer = try KeySource("command:\(program.path)").signer(passphrase: noPassphrase)
        #expect(signer.publicKey == key.publicKey)
        let message = [UInt8](repeating: 7, count: 1_000_000)
        #expect(signer.publicKey.isValid(try signer.sign(message), for: message))
        let later = Date() + 10
        let document = try SignedDocument(unsigned: TargetsMetadata(expires: later)).signed(by: signer)
        #expect(document.signatures.map(\.keyID) == [key.publicKey.id])
    }

    @Test(arguments: ["/nowhere/kms", "/bin/false", "/bin/echo", "no-such-program-anywhere"])
    func `a program that fails or answers nonsense is an error`(program: String) throws {
        #expect(throws: TrustError.self) { try KeySource.command([program]).signer(passphrase: noPassphrase) }
        let key = try PrivateKey.generate(.ed25519).publicKey
        let signer = try KeySource.command([program], publicKey: key).signer(passphrase: noPassphrase)
        #expect(throws: TrustError.self) {
            try SignedDocument(unsigned: TargetsMetadata(expires: Date())).signed(by: signer)
        }
    }
}
