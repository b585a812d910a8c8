package import Foundation
import PackJSON
import PackRegistryAPI
import Synchronization

/// The other end of a ``MakerProcess``: it executes the jobs on stdin until stdin ends.
package enum MakerService {
    /// Jobs for the main thread; whoever asks waits for each answer, so there is seldom more than one.
    private final class Queue: Sendable {
        private let lines = Mutex<[String]>([])
        private let count = DispatchSemaphore(value: 0)

        func put(_ line: String) {
            lines.withLock { $0.append(line) }
            count.signal()
        }

        func take() -> String {
            count.wait()
            return lines.withLock { $0.removeFirst() }
        }
    }

    /// Ends the process when stdin ends, even during a job, because nobody waits for the result any more.
    /// - Throws: ``RegistryError`` if the registry cannot be opened.
    package static func run(_ folder: URL, rows: RegistryRows? = nil) throws -> Never {
        // A supervisor that ends a server signals its whole group; the server ends us when it is done.
        for signal in [SIGTERM, SIGINT, SIGHUP] { Foundation.signal(signal, SIG_IGN) }
        // Devices that ask are served first.
        _ = nice(10)
        let queue = Queue()
        Thread.detachNewThread {
            while let line = readLine() { queue.put(line) }
            _exit(0)
        }
        let files = RegistryFolder(folder)
        guard rows != nil || files.exists else {
            throw RegistryError(.notFound, "there is no registry in \(files.name)")
        }
        let bench = ArtifactBench(folder: files, database: try rows?.database ?? SQLiteDatabase(files))
        while true {
            let line = JSONValue.object(answer(to: queue.take(), bench)).compactText + "\n"
            try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        }
    }

    private static func answer(to line: String, _ bench: ArtifactBench) -> JSONObject {
        do {
            let job = try ArtifactJob(json: JSONValue(parsing: line).object("job"))
            return ["sizes": .array(try bench.make(job).map { $0.map { .integer($0) } ?? .null })]
        } catch {
            let kind = RegistryError(from: error)?.kind ?? .unusable
            return ["error": .string("\(error)"), "kind": .string(kind.rawValue)]
        }
    }
}
