import Synchronization
import Testing

@testable import PackWeb

struct BacklogTests {
    @Test func `each wait of the network ends, and it waits before there is too much`() {
        let said = Mutex<[Bool]>([])
        var backlog = Backlog()
        backlog.begin { isPaused in said.withLock { $0.append(isPaused) } }
        let chunk = 1 << 20
        for _ in 0..<3 {
            let isRoom = (0..<8).map { _ in backlog.add(chunk) }
            #expect(!isRoom.contains(false))
            for _ in 0..<8 { backlog.remove(chunk) }
        }
        #expect(said.withLock { $0 } == [true, false, true, false, true, false])
        let isRoom = (0..<64).map { _ in backlog.add(chunk) } + [backlog.add(1)]
        #expect(isRoom.firstIndex(of: false) == 64)
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
