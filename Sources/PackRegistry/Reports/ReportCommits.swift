import Synchronization

/// Commits in groups: while one transaction is on its way to the disk, batches gather, and the next one takes all of them.
/// So a hundred devices wait for one sync of the disk and not for a hundred, and none for long (``CommitGroup``).
package final class ReportCommits: Sendable {
    private struct Waiting {
        let reports: JudgedReports
        let answer: CheckedContinuation<Int, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isWriting = false
    }

    private let start: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let write: @Sendable ([JudgedReports]) throws -> [Int]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - start: does something on a thread that may wait.
    ///   - write: stores batches in one transaction, and tells how many events of each were new. It is called by one thread at a time.
    package init(
        on start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        write: @escaping @Sendable ([JudgedReports]) throws -> [Int]
    ) {
        self.start = start
        self.write = write
    }

    /// - Returns: how many events were new, when they are on the disk.
    package func add(_ reports: JudgedReports) async throws -> Int {
        try await withCheckedThrowingContinuation { answer in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiting(reports: reports, answer: answer))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if isFirst { start { self.writeAll() } }
        }
    }

    private func writeAll() {
        while true {
            let group = state.withLock { state in
                let places = CommitGroup.places(of: state.waiting.map(\.reports.events.count))
                let group = places.map { state.waiting[$0] }
                for place in places.sorted(by: >) { state.waiting.remove(at: place) }
                if group.isEmpty { state.isWriting = false }
                return group
            }
            guard !group.isEmpty else { return }
            do {
                let added = try write(group.map(\.reports))
                for (waiting, count) in zip(group, added) { waiting.answer.resume(returning: count) }
            } catch {
                for waiting in group { waiting.answer.resume(throwing: error) }
            }
        }
    }
}
