import Synchronization
import Testing

@testable import PackWeb

@testable import PackWebOnline

struct BacklogTests {
    @Test func `each wait of the network ends, and it waits before there is too much`() {
        let said = Mutex<[Bool]>([])
        var backlog = Backlog()
        backlog.begin { isPaused in said.withLock { $0.append(isPaused) } }
        let chunk = 1 << 20
        for _ in 0..<3 {
            for _ in 0..<8 { #expect(backlog.add(chunk) == nil) }
            for _ in 0..<8 { backlog.remove(chunk) }
        }
        #expect(said.withLock { $0 } == [true, false, true, false, true, false])
        for _ in 0..<64 { #expect(backlog.add(chunk) == nil) }
        #expect(backlog.add(1) == .notRead(byteCount: Backlog.maximumByteCount))
    }

    @Test func `what all requests leave unread is bounded, and room comes back`() {
        let all = SharedBacklog()
        var backlogs = (0..<5).map { _ in Backlog(partOf: all) }
        for index in 0..<4 { #expect(backlogs[index].add(Backlog.maximumByteCount) == nil) }
        let more = Backlog.pausingByteCount + 1
        #expect(backlogs[4].add(more) == .notRead(byteCount: SharedBacklog.maximumByteCount))
        // Who reads is not harmed by those who do not.
        #expect(backlogs[4].add(1) == nil)
        backlogs[4].remove(1)
        backlogs[2].remove(more)
        #expect(backlogs[4].add(more) == nil)
        #expect(all.byteCount == SharedBacklog.maximumByteCount)
    }

    @Test func `a request that begins while too much waits is made to wait`() {
        let said = Mutex<[Bool]>([])
        var backlog = Backlog()
        _ = backlog.add(Backlog.pausingByteCount + 1)
        backlog.begin { isPaused in said.withLock { $0.append(isPaused) } }
        backlog.remove(Backlog.pausingByteCount + 1)
        #expect(said.withLock { $0 } == [true, false])
    }
}
