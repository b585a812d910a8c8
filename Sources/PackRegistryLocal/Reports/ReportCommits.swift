import PackRegistry
import Synchronization

/// Commits in groups: while one transaction is on its way to the disk, batches gather, and the next one takes all of them.
/// So a hundred devices wait for one sync of the disk and not for a hundred, and none for long (``CommitGroup``). Whoever publishes or
/// looks for updates meanwhile comes first.
final class ReportCommits: Sendable {
    private struct Waiting {
        let reports: JudgedReports
        let answer: CheckedContinuation<Int, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isWriting = false
        /// The ids of subjects in the database.
        var subjects: [ReportWriter.SubjectKey: Int64] = [:]
        var networks: NetworkNumbers?
    }

    private let database: ReportDatabase
    private let state = Mutex(State())

    init(_ database: ReportDatabase) {
        self.database = database
    }

    /// - Returns: how many events were new, when they are on the disk.
    func add(_ reports: JudgedReports) async throws -> Int {
        try await withCheckedThrowingContinuation { answer in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiting(reports: reports, answer: answer))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if isFirst { PatientThread.run("reports") { self.writeAll() } }
        }
    }

    private func writeAll() {
        while true {
            let (group, subjects, networks) = state.withLock { state in
                let places = CommitGroup.places(of: state.waiting.map(\.reports.events.count))
                let group = places.map { state.waiting[$0] }
                for place in places.sorted(by: >) { state.waiting.remove(at: place) }
                if group.isEmpty { state.isWriting = false }
                return (group, state.subjects, state.networks)
            }
            guard !group.isEmpty else { return }
            do {
                let (added, known, numbers) = try database.write { db in
                    let numbers = try networks ?? NetworkNumbers(db)
                    var writer = ReportWriter(db: db, networks: numbers, subjects: subjects)
                    let added = try group.map { try writer.add($0.reports) }
                    try writer.finish()
                    return (added, writer.subjects, numbers)
                }
                // After the commit: what was rolled back has no id.
                state.withLock { ($0.subjects, $0.networks) = (known, numbers) }
                for (waiting, count) in zip(group, added) { waiting.answer.resume(returning: count) }
            } catch {
                for waiting in group { waiting.answer.resume(throwing: error) }
            }
        }
    }
}
