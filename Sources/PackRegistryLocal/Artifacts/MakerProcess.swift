import Foundation
import PackJSON
import PackRegistryAPI
import PackSystem

#if canImport(Glibc)
    import CSync
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes artifacts in its own process: jobs go to its stdin, one line of JSON each, and answers come from its stdout.
///
/// A patch takes some hundred megabytes, which are freed when the process ends. A fault in it costs one file. It can
/// be killed at any time, because each file is put in place by a rename. It ends when its stdin closes, also if this
/// process is killed.
final class MakerProcess: ArtifactMaker {
    private struct Child {
        let process: pid_t
        let jobs: FileHandle
        let answers: FileHandle
    }

    private let program: MakerProgram
    private let folder: RegistryFolder
    private let makers: ArtifactMakers
    private var child: Child?
    private var pending: [UInt8] = []

    init(_ program: MakerProgram, folder: RegistryFolder, makers: ArtifactMakers) {
        self.program = program
        self.folder = folder
        self.makers = makers
    }

    deinit {
        if let child { makers.end(child.process) }
    }

    func make(_ job: ArtifactJob) throws -> [Int?] {
        let child = try started()
        let answer: JSONObject
        do {
            let line = JSONValue.object(job.json).compactText + "\n"
            try child.jobs.write(contentsOf: Data(line.utf8))
            answer = try JSONValue(parsing: readLine(child)).object("answer")
        } catch {
            self.child = nil
            pending = []
            let status = makers.end(child.process)
            guard !makers.isStopped else { throw ArtifactMakers.ending }
            let signal = status & 0x7F
            throw RegistryError(
                .unusable,
                "the process that makes the \(job.name) ended "
                    + (signal == 0 ? "with status \((status >> 8) & 0xFF)" : "by signal \(signal)"))
        }
        if let message = answer["error"] {
            let kind = try RegistryError.Kind(rawValue: answer.string("kind")) ?? .unusable
            throw RegistryError(kind, try message.string())
        }
        return try (answer["sizes"]?.array() ?? []).map { $0 == .null ? nil : try $0.integer() }
    }

    private func started() throws -> Child {
        if let child { return child }
        let (jobs, answers) = try (Self.pipe(), Self.pipe())
        let process: pid_t
        do {
            process = try makers.start { try spawn(input: jobs.read, output: answers.write) }
        } catch {
            for descriptor in [jobs.read, jobs.write, answers.read, answers.write] { close(descriptor) }
            throw error
        }
        close(jobs.read)
        close(answers.write)
        let made = Child(
            process: process, jobs: FileHandle(fileDescriptor: jobs.write, closeOnDealloc: true),
            answers: FileHandle(fileDescriptor: answers.read, closeOnDealloc: true))
        child = made
        return made
    }

    /// In a group of its own: Ctrl-C is for the server, which ends its processes itself.
    private func spawn(input: Int32, output: Int32) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = POSIX_SPAWN_SETPGROUP
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        #if canImport(Darwin)
            posix_spawn_file_actions_addinherit_np(&actions, 2)
        #else
            // Sockets above all: a port stays taken as long as anybody has its socket.
            posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        #endif
        var arguments = (["packtool"] + program.arguments + [folder.name]).map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawn(&process, program.executable, &actions, &attributes, arguments, environ)
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            throw RegistryError(.unusable, "the process that makes patches and downloads cannot be started: \(reason)")
        }
        return process
    }

    private func readLine(_ child: Child) throws -> [UInt8] {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeSubrange(...end) }
                return Array(pending[..<end])
            }
            // Not `FileHandle.read(upToCount:)`, which waits until so much has come.
            var buffer = [UInt8](repeating: 0, count: 4 << 10)
            let count = SystemCall.retrying { read(child.answers.fileDescriptor, &buffer, buffer.count) }
            guard count > 0 else { throw RegistryError(.unusable, "no answer") }
            pending += buffer.prefix(count)
        }
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let result = pipe2(&ends, O_CLOEXEC)
        #else
            let result = Darwin.pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #endif
        guard result == 0 else {
            throw RegistryError(.busy, "no process can be started: \(String(cString: strerror(errno)))")
        }
        return (ends[0], ends[1])
    }
}
