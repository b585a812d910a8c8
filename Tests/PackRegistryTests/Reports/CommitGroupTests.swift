import Testing

@testable import PackRegistry

/// Which reports are stored together.
@Suite("CommitGroupTests") struct CommitGroupTests {
    @Test func `few wait together, and of a crowd the small ones come first, after the oldest`() {
        #expect(CommitGroup.places(of: []).isEmpty)
        #expect(CommitGroup.places(of: [500]) == [0])
        #expect(CommitGroup.places(of: [5, 500, 3]) == [0, 2, 1])
        #expect(CommitGroup.places(of: [500, 500, 500, 500, 500, 5]) == [0, 5, 1, 2])
        #expect(CommitGroup.places(of: Array(repeating: 1, count: 100)) == Array(0..<64))
    }

    @Test func `nobody waits for ever, whoever comes meanwhile`() {
        // A large batch among small ones that never end: it is the oldest at last.
        var waiting = Array(repeating: 500, count: 8) + [400]
        var rounds = 0
        while waiting.contains(400) {
            let places = CommitGroup.places(of: waiting)
            waiting =
                waiting.enumerated().filter { !places.contains($0.offset) }.map(\.element)
                + Array(repeating: 300, count: 6)
            rounds += 1
            if rounds > 20 { break }
        }
        #expect(rounds <= 9)
    }
}
