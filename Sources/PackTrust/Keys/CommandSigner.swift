import Foundation

/// A signer that runs another program: it writes the message to the program's stdin and reads the raw signature from
/// its stdout.
public struct CommandSigner: Signer {
    public let publicKey: PublicKey
    private let command: [String]

    /// No signature and no public key is larger.
    private static let outputLimit = 65_536

    /// - Parameters:
    ///   - command: The program and its arguments; a program without a slash is looked up in `PATH`. No shell reads it.
    ///   - publicKey: nil to ask the program for it, by the further argument `public-key`.
    /// - Throws: ``TrustError/invalidKey(reason:)``
    public init(command: [String], publicKey: PublicKey? = nil) throws(TrustError) {
        self.command = command
        if let publicKey {
            self.publicKey = publicKey
        } else {
            let answer = try Self.run(command + ["public-key"], input: [])
            self.publicKey = try PublicKey(pem: String(decoding: answer, as: UTF8.self))
        }
    }

    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        try Self.run(command, input: message)
    }

    private static func run(_ command: [String], input: [UInt8]) throws(TrustError) -> [UInt8] {
        let name = command.first ?? ""
        let process = Process()
        process.executableURL = URL(fileURLWithPath: name.contains("/") ? name : "/usr/bin/env")
        process.arguments = name.contains("/") ? Array(command.dropFirst()) : command
        // The message goes through a file: a pipe would block for good if the program wrote before it read.
        let message = FileManager.default.temporaryDirectory.appendingPathComponent("message-\(UUID().uuidString)")
        let output = Pipe()
        do {
            try DurableFile.create(message, bytes: input, permissions: 0o600)
            defer { try? FileManager.default.removeItem(at: message) }
            process.standardInput = try FileHandle(forReadingFrom: message)
            process.standardOutput = output
            process.standardError = FileHandle.standardError
            try process.run()
        } catch {
            throw .invalidKey(reason: "the command \(name) cannot be run: \(error.localizedDescription)")
        }
        let answer: Data
        do { answer = try output.fileHandleForReading.read(upToCount: outputLimit) ?? Data() } catch {
            process.terminate()
            throw .invalidKey(reason: "the command \(name) gives no answer: \(error.localizedDescription)")
        }
        // Whoever writes on beyond the limit meets a closed pipe, and not one that is full for good.
        try? output.fileHandleForReading.close()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw .invalidKey(reason: "the command \(name) failed with status \(process.terminationStatus)")
        }
        return Array(answer)
    }
}
