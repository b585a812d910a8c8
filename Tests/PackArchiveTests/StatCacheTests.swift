import Foundation
import PackFormat
import PackSystem
import Synchronization
import Testing

@testable import PackArchive

/// Files that nobody has touched are not read again; every other file is.
struct StatCacheTests {
    private let folder: TestFolder
    private let cache: CompressionCache
    /// So much later that what the test has just written counts as settled.
    private let later = Date(timeIntervalSinceNow: 60)

    init() throws {
        folder = try TestFolder()
        cache = CompressionCache(folder: folder("cache"))
    }

    /// Prepares files as a build does; says which were read, and what each has.
    private func prepare(
        _ names: [String], start: Date
    ) throws -> (read: Set<String>, objects: [Object]) {
        let compressor = try ContentCompressor(
            level: .standard, cache: cache, folders: [folder("dist")], start: start)
        let read = Mutex<Set<String>>([])
        let contents = try compressor.prepare(
            names.map { name in
                let file = folder("dist/\(name)")
                return ContentRequest(
                    .file(file), path: try PackagePath(name), stamp: FileStamp(path: file.path))
            },
            inspect: { index, _ in _ = read.withLock { $0.insert(names[index]) } })
        compressor.saveCache()
        return (read.withLock { $0 }, contents.map(\.object))
    }

    private func object(_ text: String) -> Object {
        Object(digest: Digest(of: Data(text.utf8)), size: text.utf8.count)
    }

    private func text(_ word: String) -> String { String(repeating: "let \(word) = 1;\n", count: 50) }

    @Test func `a file that nobody has touched is read once`() throws {
        for name in ["a.js", "b.js"] { try folder.write(text(name).utf8, to: "dist/\(name)") }
        #expect(try prepare(["a.js", "b.js"], start: later).read == ["a.js", "b.js"])
        let again = try prepare(["a.js", "b.js"], start: later)
        #expect(again.read == [])
        #expect(again.objects == [object(text("a.js")), object(text("b.js"))])
        try folder.write(text("new").utf8, to: "dist/b.js")
        let changed = try prepare(["a.js", "b.js"], start: later)
        #expect(changed.read == ["b.js"])
        #expect(changed.objects == [object(text("a.js")), object(text("new"))])
        #expect(try prepare(["a.js", "b.js"], start: later).read == [])
    }

    @Test func `a file of the same size whose times are set back is read`() throws {
        let file = try folder.write(text("one").utf8, to: "dist/a.js")
        let times = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
        _ = try prepare(["a.js"], start: later)
        // Another tick of the file system's clock.
        Thread.sleep(forTimeInterval: 0.02)
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data(text("two").utf8))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: try #require(times)], ofItemAtPath: file.path)
        #expect(try prepare(["a.js"], start: later).objects == [object(text("two"))])
    }

    @Test func `a file that was changed within the last seconds is not remembered`() throws {
        try folder.write(text("one").utf8, to: "dist/a.js")
        _ = try prepare(["a.js"], start: Date())
        #expect(try prepare(["a.js"], start: later).read == ["a.js"])
    }

    @Test func `a file whose compressed form is gone is read`() throws {
        try folder.write(text("one").utf8, to: "dist/a.js")
        _ = try prepare(["a.js"], start: later)
        for name in try folder.listing("cache") where name.hasSuffix(".pack") {
            try FileManager.default.removeItem(at: folder("cache/\(name)"))
        }
        let again = try prepare(["a.js"], start: later)
        #expect(again.read == ["a.js"])
        #expect(again.objects == [object(text("one"))])
    }

    @Test func `media is known by its state too`() throws {
        try folder.write((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* $0) }, to: "dist/a.png")
        let first = try prepare(["a.png"], start: later)
        let stamp = FileStamp(path: folder("dist/a.png").path)
        try FileManager.default.removeItem(at: folder("dist/a.png"))
        // There is nothing left to read.
        let compressor = try ContentCompressor(level: .standard, cache: cache, folders: [folder("dist")], start: later)
        let request = ContentRequest(.file(folder("dist/a.png")), path: try PackagePath("a.png"), stamp: stamp)
        #expect(try compressor.prepare([request]).map(\.object) == first.objects)
    }

    @Test func `a damaged list is not used`() throws {
        try folder.write(text("one").utf8, to: "dist/a.js")
        _ = try prepare(["a.js"], start: later)
        let name = try #require(try folder.listing("cache").first { $0.hasSuffix(".stat") })
        let whole = try Data(contentsOf: folder("cache/\(name)"))
        for position in whole.indices {
            var damaged = whole
            damaged[position] ^= 0x10
            try damaged.write(to: folder("cache/\(name)"))
            let again = try prepare(["a.js"], start: Date())
            try #require(again.read == ["a.js"] && again.objects == [object(text("one"))], "byte \(position)")
        }
        for count in [0, 7, 20, whole.count - 1] {
            try whole.prefix(count).write(to: folder("cache/\(name)"))
            #expect(try prepare(["a.js"], start: Date()).read == ["a.js"])
        }
    }
}
