import Foundation
import PackFormat
import Testing

@testable import PackArchive

/// Damage in the cache is found while a content is copied into a zip; then all is made once more.
struct DamagedCacheTests {
    private let folder: TestFolder
    private let cache: CompressionCache

    init() throws {
        folder = try TestFolder()
        cache = CompressionCache(folder: folder("cache"))
    }

    private func text(_ seed: Int, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 64)
        var line = seed
        while bytes.count < count {
            bytes += "a line of text, number \(line &* 7919 % 10_007)\n".utf8
            line += 1
        }
        return bytes
    }

    private func packs() throws -> [URL] {
        try folder.listing("cache").filter { $0.hasSuffix(".pack") }.map { folder("cache/\($0)") }
    }

    private func damage(_ file: URL, at position: (Int) -> Int) throws {
        var bytes = try Data(contentsOf: file)
        bytes[position(bytes.count)] ^= 0x10
        // In place, as a disk does it.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// Makes a zip of each folder's requests in one run and says how often it was begun.
    private func write(_ packages: [[ContentRequest]], to names: [String]) throws -> Int {
        var runs = 0
        try ContentCompressor.run(level: .standard, cache: cache) { compressor in
            runs += 1
            let staged = try zip(packages, names).map { requests, name in
                let contents = try compressor.prepare(requests)
                let staged = try StagedFile(for: folder(name))
                _ = try ArchiveWriter().write(
                    zip(requests, contents).map { .init(path: $0.path, content: $1) }, to: staged)
                return staged
            }
            for file in staged { try file.commit() }
        }
        return runs
    }

    private func requests(_ contents: [(String, [UInt8])]) throws -> [ContentRequest] {
        try contents.map { ContentRequest(.bytes($1), path: try PackagePath($0)) }
    }

    @Test func `damage met in a later zip leaves no trace in any, and the cache is whole after it`() throws {
        let first = try requests((0..<20).map { ("a/\($0).js", text($0 * 1000, count: 9_000)) })
        let second = try requests((0..<20).map { ("b/\($0).js", text($0 * 1000 + 500, count: 9_000)) })
        #expect(try write([first, second], to: ["a.zip", "b.zip"]) == 1)
        let whole = try ["a.zip", "b.zip"].map { try Data(contentsOf: folder($0)) }
        // The last contents of the pack belong to the second zip.
        try damage(try #require(packs().first)) { $0 - 64 * 40 - 28 - 100 }
        #expect(try write([first, second], to: ["c.zip", "d.zip"]) == 2)
        #expect(try ["c.zip", "d.zip"].map { try Data(contentsOf: folder($0)) } == whole)
        #expect(try packs().count == 1)
        #expect(try write([first, second], to: ["e.zip", "f.zip"]) == 1)
        #expect(try ["e.zip", "f.zip"].map { try Data(contentsOf: folder($0)) } == whole)
        #expect(try folder.listing().filter { $0.hasSuffix(".tmp") } == [])
    }

    @Test func `damage in a content larger than memory allows is met while it is copied`() throws {
        let large = text(1, count: ContentCompressor.wholeFileLimit + 1)
        try folder.write(large, to: "large.txt")
        let all =
            try [ContentRequest(.file(folder("large.txt")), path: PackagePath("large.txt"))]
            + requests([("small.txt", text(7, count: 2_000))])
        #expect(try write([all], to: ["a.zip"]) == 1)
        let pack = try #require(packs().first)
        for position in [{ $0 / 2 }, { $0 - 64 * 2 - 28 - 1 }] as [(Int) -> Int] {
            try damage(try #require(packs().first), at: position)
            #expect(try write([all], to: ["b.zip"]) == 2)
            #expect(try Data(contentsOf: folder("b.zip")) == Data(contentsOf: folder("a.zip")))
        }
        #expect(try packs() != [pack])
        #expect(try write([all], to: ["b.zip"]) == 1)
    }

    @Test func `a pack cut off while it is open counts as damaged`() throws {
        let contents = try requests((0..<20).map { ("\($0).js", text($0 * 1000, count: 9_000)) })
        _ = try write([contents], to: ["a.zip"])
        let compressor = try ContentCompressor(level: .standard, cache: cache)
        let prepared = try compressor.prepare(contents)
        #expect(truncate(try #require(packs().first).path, 2_000) == 0)
        let error = #expect(throws: ArchiveError.self) {
            try ArchiveWriter().write(
                zip(contents, prepared).map { .init(path: $0.path, content: $1) }, to: folder("b.zip"))
        }
        #expect(error?.fault == .damagedCache)
        #expect(try folder.listing().filter { $0.contains("b.zip") } == [])
    }

    @Test func `a second failure is the last`() throws {
        var runs = 0
        let error = #expect(throws: ArchiveError.self) {
            try ContentCompressor.run(level: .standard, cache: cache) { _ in
                runs += 1
                throw ArchiveError(.damagedCache, file: "a.zip", entry: "x")
            }
        }
        #expect(error?.fault == .damagedCache)
        #expect(runs == 2)
    }

    @Test func `of several entries that changed the first is named, whatever is written first`() throws {
        let site = try (0..<5_000).map { number in
            let name = "\(10_000 + number).png"
            return ContentRequest(.file(try folder.write([1, 2, 3], to: "dist/\(name)")), path: try PackagePath(name))
        }
        let compressor = try ContentCompressor(level: .standard, cache: nil)
        let contents = try compressor.prepare(site)
        for number in stride(from: 1_500, to: 5_000, by: 100) {
            try folder.write([3, 2, 1], to: "dist/\(10_000 + number).png")
        }
        for _ in 0..<5 {
            let error = #expect(throws: ArchiveError.self) {
                try ArchiveWriter().write(
                    zip(site, contents).map { .init(path: $0.path, content: $1) }, to: folder("a.zip"))
            }
            #expect(error?.fault == .sourceChanged)
            #expect(error?.entry == "11500.png")
        }
    }
}
