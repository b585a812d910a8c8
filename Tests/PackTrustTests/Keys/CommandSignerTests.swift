import Foundation
import PackKeys
import Synchronization
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

    @Test func `a program may ask on the terminal and Ctrl-C reaches it: it is in our group, and blocks no signal`()
        async throws
    {
        // The threads of tasks block most signals.
        let words = try await Task.detached {
            let script = "ps -o pgid= -p $$; grep ^SigBlk: /proc/self/status"
            let signer = try CommandSigner(command: ["sh", "-c", script], publicKey: try Self.key.get())
            return String(decoding: try signer.sign([1]), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        }.value
        #expect(words == ["\(getpgrp())", "SigBlk:", "0000000000000000"])
    }

    @Test func `a program has no descriptor but the three`() throws {
        let open = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        _ = fcntl(open.fileDescriptor, F_SETFD, 0)
        let signer = try CommandSigner(command: ["sh", "-c", "ls /proc/$$/fd; true"], publicKey: try Self.key.get())
        let found = String(decoding: try signer.sign([1]), as: UTF8.self)
        #expect(found.split(separator: "\n") == ["0", "1", "2"], "\(found)")
        try open.close()
    }

    @Test func `a program that answers and does not end is ended at its limit`() throws {
        let signer = try CommandSigner(
            command: ["sh", "-c", "echo signed; exec >&-; sleep 20"], publicKey: try Self.key.get(), limit: 0.5)
        let error = #expect(throws: TrustError.self) { try signer.sign([1]) }
        #expect("\(error, default: "signed")".contains("gave no answer within"))
    }

    @Test func `a program that is silent for long is said to be waited for, once`() throws {
        let notices = Mutex<[String]>([])
        let signer = try CommandSigner(
            command: ["sh", "-c", "sleep 0.5; echo -n signed"], publicKey: try Self.key.get(), limit: 60, silence: 0.1
        ) { notice in notices.withLock { $0.append(notice) } }
        #expect(try signer.sign([1]) == Array("signed".utf8))
        #expect(notices.withLock { $0 } == ["waiting for the command sh, which has the key: it may take 60 s"])
    }

    @Test(arguments: [
        ("exit 3", "the command sh ended with status 3"), ("kill -9 $$", "the command sh ended by signal 9"),
    ])
    func `a program that fails is told by its end`(script: String, message: String) throws {
        let signer = try CommandSigner(command: ["sh", "-c", script], publicKey: try Self.key.get())
        let error = #expect(throws: TrustError.self) { try signer.sign([1]) }
        #expect("\(error, default: "signed")".contains(message))
    }

    @Test func `a program that writes on for good, or is not there, is a fault`() throws {
        let endless = try CommandSigner(command: ["yes"], publicKey: try Self.key.get(), limit: 60)
        let error = #expect(throws: TrustError.self) { try endless.sign([1]) }
        #expect("\(error, default: "signed")".contains("the command yes ended by signal"))
        let missing = try CommandSigner(command: ["no-such-program"], publicKey: try Self.key.get())
        let reason = #expect(throws: TrustError.self) { try missing.sign([1]) }
        #expect("\(reason, default: "signed")".contains("the command no-such-program cannot be run: No such file"))
    }
}
