import Foundation
import PackKeys
import Testing

@testable import PackTrust

/// Programs that sign.
struct CommandSignerTests {
    private static let key = Result { try PrivateKey.generate(.ed25519).publicKey }

    @Test func `what a program writes is the signature, whole`() throws {
        let command = ["sh", "-c", "head -c 3; sleep 0.1; echo -n rest"]
        let signer = try CommandSigner(command: command, publicKey: try Self.key.get(), limit: 60)
        #expect(try signer.sign(Array("message".utf8)) == Array("mesrest".utf8))
    }

    @Test(arguments: ["sleep 3", "sleep 3 & wait", "exec sleep 3", "trap '' TERM; for i in 1 2 3; do sleep 1; done"])
    func `a program that gives no answer is ended`(script: String) throws {
        let signer = try CommandSigner(command: ["sh", "-c", script], publicKey: try Self.key.get(), limit: 0.3)
        let error = #expect(throws: TrustError.self) { try signer.sign([1]) }
        #expect("\(error, default: "signed")".contains("gave no answer within"))
    }
}
