import Foundation
import PackFormat
import Testing

@testable import PackArchive

struct PackageArchiveTests {
    let folder: TestFolder
    let files: [String: [UInt8]] = [
        "index.html": Array("<p>hello</p>".utf8), "a.js": Array("1".utf8), "copy.js": Array("1".utf8),
    ]

    init() throws {
        folder = try TestFolder()
    }

    private func manifest(_ files: [String: [UInt8]]) throws -> Manifest {
        var listed: [PackagePath: Manifest.File] = [:]
        for (path, bytes) in files {
            listed[try PackagePath(path)] = Manifest.File(digest: Digest(of: bytes), size: bytes.count)
        }
        return try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: PackagePath("index.html"),
            files: listed)
    }

    private func zip(_ files: [String: [UInt8]], manifest: [UInt8]?) throws -> URL {
        var requests = try files.map { ContentRequest(.bytes($0.value), path: try PackagePath($0.key)) }
        if let manifest { requests.append(ContentRequest(.bytes(manifest), path: try PackagePath("pack.json"))) }
        try ArchiveWriter.write(requests, to: folder("p.zip"))
        return folder("p.zip")
    }

    private func fault(_ zip: URL, allowsMissing: Bool = false) -> ArchiveFault? {
        do {
            _ = try PackageArchive.open(zip, allowsMissing: allowsMissing)
            return nil
        } catch {
            return (error as? ArchiveError)?.fault
        }
    }

    @Test func `a package with a name beyond ASCII that is not marked as UTF-8 is refused`() throws {
        let files = files.merging(["größe.txt": []]) { $1 }
        let url = try zip(files, manifest: manifest(files).bytes)
        #expect(fault(url) == nil)
        var bytes = [UInt8](try Data(contentsOf: url))
        // General purpose bit 11 of each local and each central header.
        for index in bytes.indices.dropLast(10) where bytes[index...].starts(with: [0x50, 0x4B]) {
            if bytes[index + 2] == 3, bytes[index + 3] == 4 { bytes[index + 7] = 0 }
            if bytes[index + 2] == 1, bytes[index + 3] == 2 { bytes[index + 9] = 0 }
        }
        try Data(bytes).write(to: url)
        #expect(fault(url) == .nameNotMarkedUTF8)
    }

    @Test func `a package whose files are those of its manifest opens, and gives each object once`() throws {
        let manifest = try manifest(files)
        let package = try PackageArchive.open(zip(files, manifest: manifest.bytes))
        #expect(package.manifest == manifest)
        #expect(package.sealed.digest == manifest.digest)
        #expect(package.missing.isEmpty)
        final class Collector: ContentSink {
            var bytes: [UInt8] = []
            var isFinished = false
            func write(_ block: UnsafeRawBufferPointer) { bytes.append(contentsOf: block) }
            func finish() { isFinished = true }
        }
        var collected: [Digest: Collector] = [:]
        try package.extractObjects { object in
            #expect(collected[object.digest] == nil)
            let collector = Collector()
            collected[object.digest] = collector
            return collector
        }
        #expect(Set(collected.keys) == Set(manifest.ownObjects.map(\.digest)))
        for (digest, collector) in collected {
            #expect(collector.isFinished)
            #expect(Digest(of: collector.bytes) == digest)
        }
    }

    @Test func `a zip without or with a broken or reformatted manifest is refused`() throws {
        let manifest = try manifest(files)
        #expect(try fault(zip(files, manifest: nil)) == .manifestMissing)
        #expect(try fault(zip(files, manifest: manifest.bytes + [0x0A])) == .manifestNotCanonical)
        guard case .manifestInvalid = try fault(zip(files, manifest: Array("{}".utf8))) else {
            Issue.record("an empty manifest passed")
            return
        }
    }

    @Test func `files beside the manifest's, changed ones and absent ones are refused`() throws {
        let manifest = try manifest(files)
        var other = files
        other["extra.js"] = [1]
        #expect(try fault(zip(other, manifest: manifest.bytes)) == .fileNotListed)
        other = files
        other["a.js"] = Array("12".utf8)
        #expect(try fault(zip(other, manifest: manifest.bytes)) == .wrongSize(expected: 1, found: 2))
        other["a.js"] = Array("2".utf8)
        guard case .wrongDigest = try fault(zip(other, manifest: manifest.bytes)) else {
            Issue.record("changed content passed")
            return
        }
        other["a.js"] = nil
        #expect(try fault(zip(other, manifest: manifest.bytes)) == .fileMissing)
    }

    @Test func `an upload may leave files out, and says which`() throws {
        let manifest = try manifest(files)
        let partial = try zip(["index.html": files["index.html"] ?? []], manifest: manifest.bytes)
        let package = try PackageArchive.open(partial, allowsMissing: true)
        #expect(package.missing.map(\.text) == ["a.js", "copy.js"])
    }

    @Test func `a file that should come from a bundle is refused in the zip`() throws {
        let bundle = try PackageID("common")
        let manifest = try Manifest(
            package: PackageID("shop"), version: SemanticVersion("1.0.0"), entry: nil,
            files: [PackagePath("a.js"): Manifest.File(digest: Digest(of: [1]), size: 1, from: bundle)],
            shared: [bundle: .init(version: SemanticVersion("1.0.0"), manifest: Digest(of: []))])
        #expect(try fault(zip(["a.js": [1]], manifest: manifest.bytes)) == .fileNotOwn(bundle: "common"))
        #expect(try fault(zip([:], manifest: manifest.bytes)) == nil)
    }
}
