import Dispatch
import PackFormat
import Testing

struct LockedTests {
    private struct Refused: Error {}

    @Test func `no change of many threads is lost`() {
        let counts = Locked<[Int: Int]>([:])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for number in 0..<2_000 { counts.withLock { $0[number % 10, default: 0] += 1 } }
        }
        #expect(counts.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, 1_600) }))
    }

    @Test func `a body that throws leaves the value unlocked, as it made it`() {
        let value = Locked(1)
        #expect(throws: Refused.self) {
            try value.withLock { value in
                value = 2
                throw Refused()
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}
