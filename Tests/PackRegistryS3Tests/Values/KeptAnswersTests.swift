import PackFormat
import Testing

@testable import PackRegistryS3

@Suite("KeptAnswersTests") struct KeptAnswersTests {
    private func objects(_ numbers: Range<Int>) -> [Object] {
        numbers.map {
            Object(digest: Digest(of: [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]), size: $0)
        }
    }

    @Test func `the newest answers are kept when there are too many, in whatever portions they come`() {
        let answers = KeptAnswers(keeping: 100)
        for end in stride(from: 10, through: 1_000, by: 10) {
            answers.keep(objects(end - 10..<end).map { ($0, $0.size.isMultiple(of: 2)) })
            let newest = objects(max(0, end - 100)..<end)
            let known = answers.of(newest)
            #expect(known.count == newest.count)
            #expect(known.allSatisfy { $0.value == $0.key.size.isMultiple(of: 2) })
        }
        #expect(answers.of(objects(0..<800)).isEmpty)
    }
}
