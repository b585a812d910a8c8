import Testing

@testable import PackFormat

struct ByteRangeTests {
    private func part(_ bounds: Range<Int>) throws -> ByteRange.Selection { .part(try #require(ByteRange(bounds))) }

    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=0-9", 0..<10), ("bytes=90-", 90..<100), ("bytes=-1", 99..<100),
        ("bytes=-100", 0..<100), ("bytes=-500", 0..<100), ("bytes=10-500", 10..<100), ("Bytes=5-5", 5..<6),
        ("bytes= 1-2 ,", 1..<3), ("bytes=,1-2", 1..<3), ("bytes=1-99999999999999999999999", 1..<100),
        ("bytes=-99999999999999999999999", 0..<100), ("bytes=0099-", 99..<100),
    ])
    func `a single range selects its part`(header: String, bounds: Range<Int>) throws {
        #expect(ByteRange.selection(by: header, of: 100) == (try part(bounds)))
    }

    @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-", "bytes=100-,-0"])
    func `a range behind the end is unsatisfiable`(header: String) {
        #expect(ByteRange.selection(by: header, of: 100) == .unsatisfiable)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=1", "bytes=1-2-3", "bytes=+1-2",
        "bytes=1 - 2", "bytes=0x1-2", "items=0-1", "bytes 0-1", "bytes=0-1;q=1", "bytes=-99999999999999999999x",
        "bytes=0-1, 5-x", "bytes=١-٢",
    ])
    func `a malformed range is ignored`(header: String) {
        #expect(ByteRange.selection(by: header, of: 100) == .whole)
    }

    @Test func `several ranges get the whole`() {
        #expect(ByteRange.selection(by: "bytes=0-1, 5-6", of: 100) == .whole)
        #expect(ByteRange.selection(by: "bytes=500-, 5-6", of: 100) == .whole)
        #expect(ByteRange.selection(by: nil, of: 100) == .whole)
    }

    @Test func `an empty file has no range`() {
        #expect(ByteRange.selection(by: "bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange.selection(by: "bytes=-5", of: 0) == .whole)
    }

    @Test func `Content-Range counts inclusively`() throws {
        #expect(try #require(ByteRange(0..<10)).contentRange(of: 100) == "bytes 0-9/100")
        #expect(ByteRange.unsatisfiedContentRange(of: 100) == "bytes */100")
        #expect(ByteRange(3..<3) == nil)
        #expect(ByteRange(-1..<3) == nil)
    }

    @Test func `every selection of every size lies inside the file`() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("0123456789-,= bytesx")
        for _ in 0..<5_000 {
            let size = Int.random(in: 0...40, using: &generator)
            let tail = (0..<Int.random(in: 0...10, using: &generator)).compactMap { _ in alphabet.randomElement() }
            let header = "bytes=" + String(tail)
            if case .part(let range) = ByteRange.selection(by: header, of: size) {
                #expect(range.lowerBound >= 0 && range.upperBound <= size && range.count > 0, "\(header) of \(size)")
            }
        }
    }
}
