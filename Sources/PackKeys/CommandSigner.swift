import Foundation
import PackSystem
public import PackTrust

/// A signer that runs another program: it writes the message to the program's stdin and reads the raw signature from
/// its stdout.
public struct CommandSigner: Signer {
    public let publicKey: PublicKey
    private let command: [String]
    private let limit: Double

    /// No signature and no public key is larger.
    private static let outputLimit = 65_536

    /// - Parameters:
    ///   - command: The program and its arguments; a program without a slash is looked up in `PATH`. No shell reads it.
    ///   - publicKey: nil to ask the program for it, by the further argument `public-key`.
    ///   - limit: seconds that one run may take. A person may have to find a token and touch it.
    /// - Throws: `TrustError.invalidKey(reason:)`
    public init(command: [String], publicKey: PublicKey? = nil, limit: Double = 300) throws(TrustError) {
        self.command = command
        self.limit = limit
        if let publicKey {
            self.publicKey = publicKey
        } else {
            let answer = try Self.run(command + ["public-key"], input: [], limit: limit)
            self.publicKey = try PublicKey(pem: String(decoding: answer, as: UTF8.self))
        }
    }

    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        try Self.run(command, input: message, limit: limit)
    }

    private static func run(
        _ command: [String], input: [UInt8], limit: Double
    ) throws(TrustError) -> [UInt8] {
        let name = command.first ?? ""
        let process = Process()
        process.executableURL = URL(fileURLWithPath: name.contains("/") ? name : "/usr/bin/env")
        process.arguments = name.contains("/") ? Array(command.dropFirst()) : command
        // The message goes through a file: a pipe would block for good if the program wrote before it read.
        let message = FileManager.default.temporaryDirectory.appendingPathComponent("message-\(UUID().uuidString)")
        let output = Pipe()
        do {
            try SystemCall.create(message, with: input, mode: 0o600, isNew: true)
            defer { try? FileManager.default.removeItem(at: message) }
            process.standardInput = try FileHandle(forReadingFrom: message)
            process.standardOutput = output
            process.standardError = FileHandle.standardError
            try process.run()
        } catch {
            throw .invalidKey(reason: "the command \(name) cannot be run: \(error.localizedDescription)")
        }
        guard let answer = read(output.fileHandleForReading, until: .now() + limit) else {
            // Its end is not waited for: Foundation notices it on Linux only when whatever the program started has ended too.
            kill(process.processIdentifier, SIGKILL)
            throw .invalidKey(reason: "the command \(name) gave no answer within \(Int(limit)) s, and was ended")
        }
        // Whoever writes on beyond the limit meets a closed pipe, and not one that is full for good.
        try? output.fileHandleForReading.close()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw .invalidKey(reason: "the command \(name) failed with status \(process.terminationStatus)")
        }
        return answer
    }

    /// What a program writes before it closes its output, at most the limit of bytes; nil when its time is over. A program that it
    /// started may keep the output open, so it is the pipe that is waited for.
    private static func read(_ file: FileHandle, until end: DispatchTime) -> [UInt8]? {
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while answer.count < outputLimit {
            let now = DispatchTime.now()
            guard now < end else { return nil }
            var wanted = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = (end.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000
            guard poll(&wanted, 1, Int32(clamping: milliseconds + 1)) > 0 else { continue }
            let count = part.withUnsafeMutableBytes { SystemCall.read(file.fileDescriptor, into: $0) }
            if count == 0 { break }
            if count > 0 { answer += part[..<count] }
        }
        return answer
    }
}
