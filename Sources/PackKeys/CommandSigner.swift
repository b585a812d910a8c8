import Foundation
import PackSystem
public import PackTrust

/// A signer that runs another program: it writes the message to the program's stdin and reads the raw signature from
/// its stdout. The program may ask a person on the terminal, and Ctrl-C reaches it.
public struct CommandSigner: Signer {
    public let publicKey: PublicKey
    private let command: [String]
    private let limit: Double
    private let silence: Double
    private let notice: (@Sendable (String) -> Void)?

    /// No signature and no public key is larger.
    private static let outputLimit = 65_536
    /// The seconds that a program has to end when it is asked to.
    private static let grace = 1.0

    /// - Parameters:
    ///   - command: The program and its arguments; a program without a slash is looked up in `PATH`. No shell reads it.
    ///   - publicKey: nil to ask the program for it, by the further argument `public-key`.
    ///   - limit: seconds that one run may take. A person may have to find a token and touch it.
    ///   - silence: seconds without an answer until `notice` is called. A program that asks nobody and fetches nothing is faster.
    ///   - notice: Called at most once per run.
    /// - Throws: `TrustError.invalidKey(reason:)`
    public init(
        command: [String], publicKey: PublicKey? = nil, limit: Double = 300, silence: Double = 5,
        notice: (@Sendable (String) -> Void)? = nil
    ) throws(TrustError) {
        self.command = command
        self.limit = limit
        self.silence = silence
        self.notice = notice
        if let publicKey {
            self.publicKey = publicKey
        } else {
            let answer = try Self.run(command + ["public-key"], input: [], limit: limit, silence: silence, notice)
            self.publicKey = try PublicKey(pem: String(decoding: answer, as: UTF8.self))
        }
    }

    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        try Self.run(command, input: message, limit: limit, silence: silence, notice)
    }

    private static func run(
        _ command: [String], input: [UInt8], limit: Double, silence: Double, _ notice: ((String) -> Void)?
    ) throws(TrustError) -> [UInt8] {
        let name = command.first ?? ""
        let end = ContinuousClock.now + .seconds(limit)
        let process: ChildProcess
        let answer: [UInt8]?
        // Whoever writes on beyond the limit of bytes meets a closed pipe after this, and not one that is full for good.
        do {
            let started = try start(command, input: input)
            process = started.process
            answer = read(started.output, until: end, silence: silence) {
                notice?("waiting for the command \(name), which has the key: it may take \(Int(limit)) s")
            }
        }
        guard let answer, let outcome = process.wait(seconds: max(0, (end - .now) / .seconds(1))) else {
            process.terminate()
            if process.wait(seconds: grace) == nil {
                process.kill()
                _ = process.wait()
            }
            throw .invalidKey(reason: "the command \(name) gave no answer within \(Int(limit)) s, and was ended")
        }
        guard outcome == .exited(status: 0) else {
            throw .invalidKey(reason: "the command \(name) ended \(outcome)")
        }
        return answer
    }

    private static func start(
        _ command: [String], input: [UInt8]
    ) throws(TrustError) -> (process: ChildProcess, output: OpenDescriptor) {
        let name = command.first ?? ""
        // The message goes through a file: a pipe would block for good if the program wrote before it read.
        let message = FileManager.default.temporaryDirectory.appendingPathComponent("message-\(UUID().uuidString)")
        do {
            try SystemCall.create(message, with: input, mode: 0o600, isNew: true)
            defer { try? FileManager.default.removeItem(at: message) }
            let file = try OpenDescriptor(SystemCall.open(message, O_RDONLY))
            let output = try ChildProcess.pipe()
            let process = try ChildProcess.start(
                name, command, input: file, output: output.writing, group: .terminal)
            return (process, output.reading)
        } catch let failure as ChildProcess.Failure {
            throw .invalidKey(reason: "the command \(name) cannot be run: \(failure.reason)")
        } catch {
            throw .invalidKey(reason: "the command \(name) cannot be run: \(error)")
        }
    }

    /// What a program writes before it closes its output, at most the limit of bytes; nil when its time is over. A program that it
    /// started may keep the output open, so it is the pipe that is waited for.
    private static func read(
        _ output: OpenDescriptor, until end: ContinuousClock.Instant, silence: Double, _ onSilence: () -> Void
    ) -> [UInt8]? {
        var noticeTime: ContinuousClock.Instant? = .now + .seconds(silence)
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while answer.count < outputLimit {
            let now = ContinuousClock.now
            guard now < end else { return nil }
            if let time = noticeTime, now >= time {
                onSilence()
                noticeTime = nil
            }
            let next = min(end, noticeTime ?? end)
            let milliseconds = (next - now) / .milliseconds(1)
            var wanted = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, Int32(clamping: Int(milliseconds) + 1)) > 0 else { continue }
            let count = part.withUnsafeMutableBytes { SystemCall.read(output.number, into: $0) }
            if count == 0 { break }
            if count > 0 { answer += part[..<count] }
        }
        return answer
    }
}
