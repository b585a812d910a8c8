import PackRegistryAPI
import Synchronization
import Testing

@testable import PackRegistryServer

/// What several ask for at once, and nobody waits for too long.
struct SharedAnswerTests {
    @Test func `what takes too long is given up by who asks, goes on, and is asked for once`() async throws {
        let started = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
        let shared = SharedAnswer(within: .milliseconds(200)) {
            started.withLock { $0 += 1 }
            for await _ in gate.stream { break }
            return "there"
        }
        for _ in 0..<2 {
            let begun = ContinuousClock.now
            let error = await #expect(throws: RegistryError.self) { try await shared.value() }
            #expect(error?.kind == .unreachable)
            #expect(.now - begun < .seconds(20))
        }
        #expect(started.withLock { $0 } == 1)
        async let late = shared.value()
        gate.continuation.yield()
        #expect(try await late == "there")
    }

    @Test func `an answer and an error come as they are, and the next one asks anew`() async throws {
        let count = Mutex(0)
        let shared = SharedAnswer(within: .seconds(60)) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number != 2 else { throw RegistryError(.invalid, "no") }
            return number
        }
        #expect(try await shared.value() == 1)
        let error = await #expect(throws: RegistryError.self) { try await shared.value() }
        #expect(error?.kind == .invalid)
        #expect(try await shared.value() == 3)
    }
}
