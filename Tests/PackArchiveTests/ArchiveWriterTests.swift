import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackArchive

struct ArchiveWriterTests {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// A small site with every kind of content: text, media, empty, incompressible, Unicode names.
    func site() throws -> [(path: String, bytes: [UInt8])] {
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return [
            ("index.html", Array(String(repeating: "<p>hello</p>\n", count: 200).utf8)), ("empty.txt", []),
            ("static/app.js", Array(String(repeating: "console.log('x');\n", count: 5000).utf8)),
            ("static/a.png", Array(String(repeating: "png", count: 300).utf8)), ("static/noise.bin", noise),
            ("ünï/größe.css", Array("a{}".utf8)), ("日本.txt", Array("日本日本日本日本日本日本".utf8)),
        ]
    }

    func requests(_ site: [(path: String, bytes: [UInt8])], below root: String) throws -> [ContentRequest] {
        try site.map { file in
            ContentRequest(
                .file(try folder.write(file.bytes, to: "\(root)/\(file.path)")), path: try PackagePath(file.path))
        }
    }

    private func unpack(_ zip: URL) throws -> [String: [UInt8]] {
        let archive = try ValidatedArchive(file: zip)
        var files: [String: [UInt8]] = [:]
        for entry in archive.entries {
            files[entry.path.text] = try archive.bytes(of: entry.path, maximumByteCount: 1 << 30)
        }
        return files
    }

    @Test func `what is written is read again, byte for byte`() throws {
        let site = try site()
        let size = try ArchiveWriter.write(requests(site, below: "dist"), to: folder("a.zip"))
        #expect(try Data(contentsOf: folder("a.zip")).count == size)
        #expect(try unpack(folder("a.zip")) == Dictionary(uniqueKeysWithValues: site.map { ($0.path, $0.bytes) }))
        #expect(try folder.listing().filter { $0.hasSuffix(".tmp") } == [])
    }

    @Test func `order, place, level of parallelism and cache do not change a byte`() throws {
        let site = try site()
        let cache = CompressionCache(folder: folder("cache"))
        try ArchiveWriter.write(requests(site, below: "one"), to: folder("1.zip"))
        try ArchiveWriter.write(requests(site.reversed(), below: "two"), cache: cache, to: folder("2.zip"))
        try ArchiveWriter.write(requests(site, below: "one"), cache: cache, to: folder("3.zip"))
        try ArchiveWriter.write(
            site.shuffled().map { ContentRequest(.bytes($0.bytes), path: try PackagePath($0.path)) },
            to: folder("4.zip"))
        let first = try Data(contentsOf: folder("1.zip"))
        for number in 2...4 { #expect(try Data(contentsOf: folder("\(number).zip")) == first) }
    }

    @Test(arguments: CompressionLevel.allCases)
    func `every level gives content back, and max is not larger than standard`(level: CompressionLevel) throws {
        var site = try site()
        let code = try Data(contentsOf: URL(filePath: #filePath))
        site.append(("source.swift", Array(code)))
        site.append(
            ("mixed.bin", Array(code) + (0..<9000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) } + Array(code)))
        for length in [1, 2, 3, 4, 127, 128, 129, 300] {
            site.append(("short/\(length)", Array(code.prefix(length))))
        }
        let requests = try requests(site, below: "dist")
        let size = try ArchiveWriter.write(requests, level: level, to: folder("a.zip"))
        #expect(try unpack(folder("a.zip")) == Dictionary(uniqueKeysWithValues: site.map { ($0.path, $0.bytes) }))
        let standard = try ArchiveWriter.write(requests, to: folder("b.zip"))
        #expect(level != .max || size < standard)
        #expect(level != .fast || size > standard)
    }

    @Test func `what does not shrink is stored, whatever its name says`() throws {
        var site = try site()
        var generator = SeededGenerator(seed: 7)
        let noise = (0..<400_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = Array(String(repeating: "text in front of a picture ", count: 1000).utf8)
        site += [
            ("photo.jpg", noise), ("noise.txt", noise), ("titled.png", text + noise), ("signed.mp4", noise + text),
        ]
        let compressor = try ContentCompressor(level: .standard, cache: nil)
        let contents = try compressor.prepare(requests(site, below: "dist"))
        let methods = Dictionary(uniqueKeysWithValues: zip(site.map(\.path), contents.map(\.method)))
        for path in ["static/noise.bin", "empty.txt", "photo.jpg", "noise.txt"] {
            #expect(methods[path] == ZipFormat.stored, "\(path)")
        }
        for path in ["index.html", "static/app.js", "static/a.png", "titled.png", "signed.mp4"] {
            #expect(methods[path] == ZipFormat.deflated, "\(path)")
        }
    }

    @Test func `large data of similar entries is within 1 % of what zip -9 makes of it`() throws {
        var generator = SeededGenerator(seed: 7)
        let words = [
            "tensor", "shape", "attribute", "optional", "description", "output", "input", "float", "default", "axis",
            "kernel",
            "stride", "value", "element", "batch", "dimension",
        ]
        func word() -> String { words[Int.random(in: 0..<words.count, using: &generator)] }
        let entries = (0..<12_000).map { _ in
            """
              {
                "name": "\(word())_\(Int.random(in: 0..<900, using: &generator))",
                "type": "\(word())",
                "description": "\(word()) of the \(word()), if the \(word()) has a \(word())",
                "required": \(Bool.random(using: &generator))
              },
            """
        }
        let file = try folder.write(Array(entries.joined(separator: "\n").utf8), to: "operators.json")
        let content = try ContentCompressor(level: .standard, cache: nil)
            .prepare([ContentRequest(.file(file), path: PackagePath("operators.json"))])[0]
        let (status, output) = try folder.run("sh", ["-c", "gzip -9 -n -c operators.json | wc -c"])
        let peer = try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(status == 0 && content.compressedSize <= peer + peer / 100)
    }

    @Test func `a content larger than memory allows is stored if none of its pieces shrinks`() throws {
        var generator = SeededGenerator(seed: 8)
        var words = (0..<(ContentCompressor.wholeFileLimit / 8 + 1000)).map { _ in generator.next() }
        func method(_ name: String) throws -> Int {
            let file = try folder.write(words.withUnsafeBytes { Array($0) }, to: name)
            return try ContentCompressor(level: .standard, cache: nil)
                .prepare([ContentRequest(.file(file), path: PackagePath(name))])[0].method
        }
        #expect(try method("video.txt") == ZipFormat.stored)
        // The start of the second piece.
        for index in (1 << 20) / 8..<(1 << 20) / 8 + 2048 { words[index] = 0 }
        #expect(try method("video.mp4") == ZipFormat.deflated)
    }

    @Test func `a content larger than memory allows is compressed in pieces and cached`() throws {
        let line = Array("a line of a very large text, number \u{0}".utf8)
        var bytes: [UInt8] = []
        while bytes.count <= ContentCompressor.wholeFileLimit {
            bytes += line
            bytes[bytes.count - 1] = UInt8(truncatingIfNeeded: bytes.count / 7 % 250)
        }
        let cache = CompressionCache(folder: folder("cache"))
        let requests = [
            ContentRequest(.file(try folder.write(bytes, to: "large.txt")), path: try PackagePath("large.txt"))
        ]
        let size = try ArchiveWriter.write(requests, cache: cache, to: folder("a.zip"))
        #expect(size < bytes.count / 2)
        #expect(try unpack(folder("a.zip"))["large.txt"] == bytes)
        try ArchiveWriter.write(requests, cache: cache, to: folder("b.zip"))
        #expect(try Data(contentsOf: folder("a.zip")) == Data(contentsOf: folder("b.zip")))
    }

    @Test func `a damaged cache is noticed and changes nothing`() throws {
        let site = try site()
        let cache = CompressionCache(folder: folder("cache"))
        let requests = try requests(site, below: "dist")
        try ArchiveWriter.write(requests, cache: cache, to: folder("a.zip"))
        let names = try folder.listing("cache")
        #expect(names.count == 1)
        let pack = folder("cache/\(names[0])")
        let whole = try Data(contentsOf: pack)
        for position in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
            var damaged = whole
            damaged[position] ^= 0x10
            try damaged.write(to: pack)
            try ArchiveWriter.write(requests, cache: cache, to: folder("b.zip"))
            #expect(try Data(contentsOf: folder("a.zip")) == Data(contentsOf: folder("b.zip")))
            try FileManager.default.removeItem(at: cache.folder)
            try FileManager.default.createDirectory(at: cache.folder, withIntermediateDirectories: true)
        }
        try whole.dropLast(100).write(to: pack)
        try ArchiveWriter.write(requests, cache: cache, to: folder("b.zip"))
        #expect(try Data(contentsOf: folder("a.zip")) == Data(contentsOf: folder("b.zip")))
    }

    @Test func `the cache stays within its size and its number of packs`() throws {
        let cache = CompressionCache(folder: folder("cache"), maximumSize: 20_000)
        for round in 0..<40 {
            var text = ""
            for line in 0..<400 { text += "\(round) \(line * round &+ 17) \(line ^ round)\n" }
            try ArchiveWriter.write(
                [ContentRequest(.bytes(Array(text.utf8)), path: try PackagePath("a.txt"))], cache: cache,
                to: folder("a.zip"))
        }
        let names = try folder.listing("cache")
        let total = try names.reduce(0) { try $0 + Data(contentsOf: folder("cache/\($1)")).count }
        #expect(total <= 20_000)
        #expect(names.count <= CompressionCache.maximumPackCount + 1)
    }

    @Test func `builds that share a cache at the same time agree`() async throws {
        let site = try site()
        let cache = CompressionCache(folder: folder("cache"))
        let requests = try requests(site, below: "dist")
        let zips = (0..<8).map { folder("\($0).zip") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for zip in zips { group.addTask { try ArchiveWriter.write(requests, cache: cache, to: zip) } }
            try await group.waitForAll()
        }
        let first = try Data(contentsOf: zips[0])
        for zip in zips { #expect(try Data(contentsOf: zip) == first) }
    }

    @Test func `a file that is not there or not what was expected is an error and leaves nothing`() throws {
        let missing = ContentRequest(.file(folder("none")), path: try PackagePath("none"))
        let error = #expect(throws: ArchiveError.self) { try ArchiveWriter.write([missing], to: folder("a.zip")) }
        #expect(error?.file == folder("none").path)
        let other = ContentRequest(
            .file(try folder.write([1], to: "x")), path: try PackagePath("x"),
            expected: Object(digest: Digest(of: [2]), size: 1))
        #expect(throws: ArchiveError.self) { try ArchiveWriter.write([other], to: folder("a.zip")) }
        let pair = try ["a", "a"].map { ContentRequest(.bytes([]), path: try PackagePath($0)) }
        #expect(throws: ArchiveError.self) { try ArchiveWriter.write(pair, to: folder("a.zip")) }
        #expect(try folder.listing() == ["x"])
    }

    @Test func `more than 65,535 entries are written with a zip64 end record and read again`() throws {
        let requests = try (0..<65_536).map { ContentRequest(.bytes([]), path: try PackagePath("f/\($0)")) }
        try ArchiveWriter.write(requests, to: folder("many.zip"))
        #expect(try ValidatedArchive(file: folder("many.zip")).entries.count == 65_536)
        let (status, output) = try folder.run("7z", ["t", "many.zip"])
        #expect(status == 0, "\(output)")
    }
}
