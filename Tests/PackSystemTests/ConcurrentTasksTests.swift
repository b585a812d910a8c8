import PackSystem
import Synchronization
import Testing

struct ConcurrentTasksTests {
    private struct Fault: Error, Equatable { let number: Int }

    /// Lets tasks meet: none goes on before so many are there.
    private actor Meeting {
        private let count: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(of count: Int) { self.count = count }

        func come() async {
            guard waiting.count + 1 == count else { return await withCheckedContinuation { waiting.append($0) } }
            for one in waiting { one.resume() }
            waiting = []
        }
    }

    @Test func `values come in the order of the items, whichever is done first`() async throws {
        let items = Array(0..<100)
        let values = try await ConcurrentTasks.map(items, atMost: 7) { item in
            for _ in 0..<(100 - item) { await Task.yield() }
            return item * 2
        }
        #expect(values == items.map { $0 * 2 })
        #expect(try await ConcurrentTasks.map([Int](), atMost: 3) { $0 }.isEmpty)
    }

    /// It would not end if fewer ran at a time.
    @Test func `as many run at a time as are allowed, and no more`() async throws {
        let meeting = Meeting(of: 5)
        let running = Mutex((now: 0, most: 0))
        try await ConcurrentTasks.forEach(0..<50, atMost: 5) { _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await meeting.come()
            running.withLock { $0.now -= 1 }
        }
        #expect(running.withLock(\.most) == 5)
    }

    @Test func `the first error cancels what runs, and nothing else begins`() async throws {
        let meeting = Meeting(of: 4)
        let begun = Mutex<Set<Int>>([])
        let cancelled = Mutex<Set<Int>>([])
        await #expect(throws: Fault(number: 2)) {
            try await ConcurrentTasks.forEach(0..<100, atMost: 4) { item in
                _ = begun.withLock { $0.insert(item) }
                await meeting.come()
                if item == 2 { throw Fault(number: item) }
                // A day, unless it is cancelled.
                do { try await Task.sleep(for: .seconds(86_400)) } catch {
                    _ = cancelled.withLock { $0.insert(item) }
                    throw error
                }
            }
        }
        #expect(begun.withLock(\.self) == [0, 1, 2, 3])
        #expect(cancelled.withLock(\.self) == [0, 1, 3])
    }
}
