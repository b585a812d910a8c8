import PackFormat
import Testing

@testable import PackPatch

/// Names in content: wherever the content is cut into pieces, the same ones are found as by looking at each byte.
struct NameFinderTests {
    @Test(arguments: 1...200 as ClosedRange<UInt64>) func `what is found does not depend on how the content is cut`(
        seed: UInt64
    ) {
        var random = RandomBytes(seed: seed)
        let pieces: [[UInt8]] = [
            "index-Zy9_aB3x.js", "a.b.c-12345678.css", "props.children", "page-qW3_rT01.js", "\"", "(", " ", ".js", "-",
            ".",
            "chunk-AAAA0000.js.map", String(repeating: "x", count: 240), "short.js", "twelve-12345678.js",
        ].map { Array($0.utf8) }
        var content: [UInt8] = []
        for _ in 0..<200 { content += pieces.randomElement(using: &random) ?? [] }
        let expected = Self.namesByEachByte(content)

        var finder = NameFinder([], textEndings: [Array(".js".utf8), Array(".css".utf8)])
        var start = 0
        while start < content.count {
            let end = min(content.count, start + Int.random(in: 1...[1, 9, 40, 5000][Int(seed % 4)], using: &random))
            content[start..<end].withUnsafeBytes { finder.look(at: $0) }
            start = end
        }
        finder.endObject()
        #expect(finder.texts.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    /// As docs/PATCH-FORMAT.md §7.1 says it.
    private static func namesByEachByte(_ content: [UInt8]) -> [String] {
        let isPart = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$-.+@~".utf8)
        var found: [String] = []
        for run in content.split(whereSeparator: { !isPart.contains($0) }) where run.count <= 255 {
            let text = String(decoding: run, as: UTF8.self)
            guard let path = try? PackagePath(text), HashedName(path) != nil, !found.contains(text) else { continue }
            if text.hasSuffix(".js") || text.hasSuffix(".css") { found.append(text) }
        }
        return found
    }
}
