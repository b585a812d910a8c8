import Dispatch
import Foundation
import PackRegistryAPI
import PackRegistrySQL
import PackSystem
import Synchronization

/// The program that makes artifacts for a server: a command of this same program, which runs ``MakerService``.
package struct MakerProgram: Sendable {
    let executable: String
    /// The registry's folder stands behind them.
    let arguments: [String]

    package init(executable: String, arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }
}

/// Provides makers, and ends them all with the server. A maker runs in this process, or in its own process whose
/// memory is freed with it.
final class ArtifactMakers: Sendable {
    private struct State {
        var isStopped = false
        var processes: Set<ChildProcess> = []
    }

    /// The maintenance's, a device's, and publications' first downloads; more wait.
    private static let maximumProcessCount = 4

    private let program: MakerProgram?
    private let state = Mutex(State())
    private let places = DispatchSemaphore(value: maximumProcessCount)

    init(_ program: MakerProgram?) {
        self.program = program
        // Whoever writes to a process that has ended is told so by the call.
        if program != nil { signal(SIGPIPE, SIG_IGN) }
    }

    /// How many makers work at once for one round. In this process each takes some hundred megabytes; a server has patches for
    /// devices to make beside.
    var concurrentCount: Int { program == nil ? min(ProcessInfo.processInfo.activeProcessorCount, 4) : 1 }

    /// A maker for one round of work; its process starts with the first job and ends with the maker.
    func begin(_ folder: RegistryFolder, _ database: any RegistryDatabase) -> any ArtifactMaker {
        guard let program else { return ArtifactBench(folder: folder, database: database) }
        return MakerProcess(program, folder: folder, makers: self)
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Ends every process; none is started any more.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for process in state.processes { process.kill() }
        }
    }

    /// Waits for a place, and starts a process in it.
    func start(_ start: () throws -> ChildProcess) throws -> ChildProcess {
        places.wait()
        do {
            return try state.withLock { state in
                guard !state.isStopped else { throw Self.ending }
                let process = try start()
                state.processes.insert(process)
                return process
            }
        } catch {
            places.signal()
            throw error
        }
    }

    /// Ends a process, if it has not ended, and gives its place back.
    @discardableResult
    func end(_ process: ChildProcess) -> ChildProcess.End {
        // Under the lock, because the number may be somebody else's once it was waited for.
        let end = state.withLock { state in
            process.kill()
            state.processes.remove(process)
            return process.wait()
        }
        places.signal()
        return end
    }

    static let ending = RegistryError(.busy, "the server is shutting down: the next one makes the missing files")
}
