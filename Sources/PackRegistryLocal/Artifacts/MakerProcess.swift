import Foundation
import PackJSON
import PackRegistryAPI
import PackSystem

/// Makes artifacts in its own process: jobs go to its stdin, one line of JSON each, and answers come from its stdout.
///
/// A patch takes some hundred megabytes, which are freed when the process ends. A fault in it costs one file. It can
/// be killed at any time, because each file is put in place by a rename. It ends when its stdin closes, also if this
/// process is killed.
final class MakerProcess: ArtifactMaker {
    private struct Child {
        let process: ChildProcess
        let jobs: OpenDescriptor
        let answers: OpenDescriptor
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
            try SystemCall.writeAll(Array(line.utf8), to: child.jobs.number, URL(filePath: program.executable))
            answer = try JSONValue(parsing: readLine(child)).object("answer")
        } catch {
            self.child = nil
            pending = []
            let end = makers.end(child.process)
            guard !makers.isStopped else { throw ArtifactMakers.ending }
            throw RegistryError(.unusable, "the process that makes the \(job.name) ended \(end)")
        }
        if let message = answer["error"] {
            let kind = try RegistryError.Kind(rawValue: answer.string("kind")) ?? .unusable
            throw RegistryError(kind, try message.string())
        }
        return try (answer["sizes"]?.array() ?? []).map { $0 == .null ? nil : try $0.integer() }
    }

    private func started() throws -> Child {
        if let child { return child }
        do {
            let (jobs, answers) = try (ChildProcess.pipe(), ChildProcess.pipe())
            let process = try makers.start {
                try ChildProcess.start(
                    program.executable, ["packtool"] + program.arguments + [folder.name],
                    input: jobs.reading, output: answers.writing, group: .own)
            }
            let made = Child(process: process, jobs: jobs.writing, answers: answers.reading)
            child = made
            return made
        } catch let failure as ChildProcess.Failure {
            throw RegistryError(
                failure.isTransient ? .busy : .unusable,
                "the process that makes patches and downloads cannot be started: \(failure.reason)")
        }
    }

    private func readLine(_ child: Child) throws -> [UInt8] {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeSubrange(...end) }
                return Array(pending[..<end])
            }
            // Not `FileHandle.read(upToCount:)`, which waits until so much has come.
            var buffer = [UInt8](repeating: 0, count: 4 << 10)
            let count = buffer.withUnsafeMutableBytes { SystemCall.read(child.answers.number, into: $0) }
            guard count > 0 else { throw RegistryError(.unusable, "no answer") }
            pending += buffer.prefix(count)
        }
    }
}
