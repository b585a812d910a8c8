import Foundation
import Testing

@testable import PackTrust

struct KeyTests {
    @Test(arguments: KeyScheme.allCases)
    func `a key signs what it is given and nothing else is valid`(scheme: KeyScheme) throws {
        let key = try PrivateKey.generate(scheme)
        let message = Array("message".utf8)
        let signature = try key.sign(message)
        #expect(key.publicKey.isValid(signature, for: message))
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        #expect(!key.publicKey.isValid([], for: message))
        #expect(!key.publicKey.isValid(signature + [0], for: message))
        #expect(!key.publicKey.isValid(Array(signature.dropLast()), for: message))
        for position in stride(from: 0, to: signature.count, by: 7) {
            var bent = signature
            bent[position] ^= 1
            #expect(!key.publicKey.isValid(bent, for: message))
        }
        #expect(try !PrivateKey.generate(scheme).publicKey.isValid(signature, for: message))
    }

    @Test(arguments: KeyScheme.allCases)
    func `a key survives its PEM`(scheme: KeyScheme) throws {
        let key = try PrivateKey.generate(scheme)
        let again = try PrivateKey(pem: key.pem)
        #expect(again.publicKey == key.publicKey)
        #expect(key.publicKey.isValid(try again.sign([1, 2, 3]), for: [1, 2, 3]))
        if scheme != .ed25519 { #expect(try PublicKey(pem: key.publicKey.value) == key.publicKey) }
    }

    @Test func `the private half is never shown`() throws {
        let key = try PrivateKey.generate(.ed25519)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("ed25519(") && !text.contains("PRIVATE"), "\(text)")
        }
    }

    @Test(arguments: ["", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
    func `what is no key is refused`(text: String) {
        for scheme in KeyScheme.allCases {
            #expect(throws: TrustError.self) { try PublicKey(scheme: scheme, value: text) }
        }
        #expect(throws: TrustError.self) { try PublicKey(pem: text) }
        #expect(throws: TrustError.self) { try PrivateKey(pem: text) }
    }

    @Test func `a key of one scheme is not accepted under another`() throws {
        let ecdsa = try PrivateKey.generate(.ecdsa).publicKey
        #expect(throws: TrustError.self) { try PublicKey(scheme: .rsaPSS, value: ecdsa.value) }
        #expect(throws: TrustError.self) { try PublicKey(scheme: .ed25519, value: ecdsa.value) }
    }

    @Test func `a PKCS 1 signature made by openssl is valid for its own scheme only`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("text".utf8).write(to: folder.appending(path: "text"))
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = folder
        process.arguments = [
            "-ec",
            "openssl genrsa -out key 2048; openssl rsa -in key -pubout -out public; openssl dgst -sha256 -sign key -out sig text",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let pem = try String(contentsOf: folder.appending(path: "public"), encoding: .utf8)
        let signature = Array(try Data(contentsOf: folder.appending(path: "sig")))
        let key = try PublicKey(scheme: .rsaPKCS1, value: pem)
        #expect(key.isValid(signature, for: Array("text".utf8)))
        #expect(!key.isValid(signature, for: Array("test".utf8)))
        let other = try PublicKey(scheme: .rsaPSS, value: pem)
        #expect(!other.isValid(signature, for: Array("text".utf8)))
        #expect(other.isSameKey(as: key), "it counts once toward a threshold")
        #expect(throws: TrustError.self) { try PrivateKey.generate(.rsaPKCS1) }
    }
}
