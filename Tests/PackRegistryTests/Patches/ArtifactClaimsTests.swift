import PackFormat
import Testing

@testable import PackRegistryLocal

struct ArtifactClaimsTests {
    /// A clock whose time does not pass: whoever sleeps by it wakes only when it is cancelled.
    private final class StoppedClock: Clock {
        struct Instant: InstantProtocol {
            var offset: Duration = .zero
            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
        }

        let now = Instant()
        let minimumResolution = Duration.zero
        /// One for each that begins to sleep.
        let sleepers: AsyncStream<Void>
        private let begun: AsyncStream<Void>.Continuation

        init() { (sleepers, begun) = AsyncStream.makeStream() }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            begun.yield()
            let (stream, end) = AsyncStream<Void>.makeStream()
            defer { end.finish() }
            for await _ in stream {}
            try Task.checkCancellation()
        }
    }

    @Test func `whoever waits for a patch is woken by its end, and not by looking again and again`() async {
        let clock = StoppedClock()
        let claims = ArtifactClaims(clock: clock)
        let file = DerivedFile(.patch, of: Digest(of: [1]), from: Digest(of: [2]))
        let other = DerivedFile(.patch, of: Digest(of: [1]), from: Digest(of: [3]))
        #expect(claims.claim(file) && claims.claim(other))
        let count = 256
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { await claims.waitForRelease(of: file, patience: .seconds(15)) } }
            // Each has begun to wait.
            var sleepers = clock.sleepers.makeAsyncIterator()
            for _ in 0..<count { _ = await sleepers.next() }
            claims.release(file)
            await group.waitForAll()
        }
        #expect(!claims.isClaimed(file) && claims.isClaimed(other))
        // What nobody makes is not waited for.
        await claims.waitForRelease(of: file, patience: .seconds(15))
    }

    @Test func `whoever is cancelled does not wait any longer`() async {
        let clock = StoppedClock()
        let claims = ArtifactClaims(clock: clock)
        let file = DerivedFile(.patch, of: Digest(of: [1]), from: Digest(of: [2]))
        #expect(claims.claim(file))
        let waiting = Task { await claims.waitForRelease(of: file, patience: .seconds(15)) }
        var sleepers = clock.sleepers.makeAsyncIterator()
        _ = await sleepers.next()
        waiting.cancel()
        await waiting.value
        #expect(claims.isClaimed(file))
    }
}
