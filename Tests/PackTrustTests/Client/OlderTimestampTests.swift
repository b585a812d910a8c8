import Testing

@testable import PackTrust

/// A server that is a moment behind the others.
struct OlderTimestampTests {
    @Test func `an older timestamp is asked for again, and refused if it stays`() async throws {
        let pauses = OlderTimestamp.pauses.map { $0 / 100 }
        for failures in [0, 2, 3] {
            var calls = 0
            let refresh = {
                calls += 1
                if calls <= failures { throw TrustError.rollback(role: "timestamp", found: 1, trusted: 2) }
            }
            if failures < 3 {
                try await OlderTimestamp.passed(after: pauses) { try refresh() }
                #expect(calls == failures + 1)
            } else {
                await #expect(throws: TrustError.rollback(role: "timestamp", found: 1, trusted: 2)) {
                    try await OlderTimestamp.passed(after: pauses) { try refresh() }
                }
                #expect(calls == 3)
            }
        }
    }

    @Test func `anything else is refused at once`() async {
        var calls = 0
        await #expect(throws: TrustError.rollback(role: "snapshot", found: 1, trusted: 2)) {
            try await OlderTimestamp.passed {
                calls += 1
                throw TrustError.rollback(role: "snapshot", found: 1, trusted: 2)
            }
        }
        #expect(calls == 1)
    }
}
