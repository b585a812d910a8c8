import Foundation
import PackFormat
import Testing

@testable import PackArchive

/// Other people's programs judge our bytes, and we judge theirs.
struct ForeignToolTests {
    let folder: TestFolder
    let writer: ArchiveWriterTests

    init() throws {
        writer = try ArchiveWriterTests()
        folder = writer.folder
    }

    private func zip() throws -> URL {
        try ArchiveWriter.write(writer.requests(writer.site(), below: "dist"), to: folder("a.zip"))
        return folder("a.zip")
    }

    private func run(_ tool: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (status, output) = try folder.run(tool, arguments, environment: ["LC_ALL": "C.UTF-8"])
        #expect(status == 0, "\(tool): \(output)", sourceLocation: sourceLocation)
    }

    private func expectSameTree(as path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try run("diff", "-r", "dist", path, sourceLocation: sourceLocation)
    }

    @Test func `unzip accepts and extracts what we write`() throws {
        _ = try zip()
        try run("unzip", "-tq", "a.zip")
        try run("unzip", "-q", "a.zip", "-d", "out")
        try expectSameTree(as: "out")
    }

    @Test func `bsdtar accepts and extracts what we write`() throws {
        _ = try zip()
        try FileManager.default.createDirectory(at: folder("out"), withIntermediateDirectories: true)
        try run("bsdtar", "-tf", "a.zip")
        try run("bsdtar", "-xf", "a.zip", "-C", "out")
        try expectSameTree(as: "out")
    }

    @Test func `Python accepts and extracts what we write`() throws {
        _ = try zip()
        let script = "import zipfile; z = zipfile.ZipFile('a.zip'); assert z.testzip() is None; z.extractall('out')"
        try run("python3", "-c", script)
        try expectSameTree(as: "out")
    }

    @Test func `7z accepts and extracts what we write`() throws {
        _ = try zip()
        try run("7z", "t", "a.zip")
        try run("7z", "x", "-oout", "a.zip")
        try expectSameTree(as: "out")
    }

    @Test(arguments: [
        ["zip", "-q", "-r", "../f.zip", "."], ["zip", "-q", "-9", "-X", "-r", "../f.zip", "."],
        ["sh", "-c", "zip -q -r - . > ../f.zip"],
        ["sh", "-c", "bsdtar -a -cf ../f.zip *"],
        ["7z", "a", "-tzip", "../f.zip", "."], ["python3", "-m", "zipfile", "-c", "../f.zip", "."],
        ["python3", "-c", "import shutil; shutil.make_archive('../f', 'zip', '.')"],
        [
            "python3", "-c",
            "import zipfile; z = zipfile.ZipFile('../f.zip', 'w', 8)\n"
                + "with z.open('a.txt', 'w', force_zip64=True) as f: f.write(b'x' * 99)\nz.close()",
        ],
    ])
    func `ordinary zips of other tools pass`(command: [String]) throws {
        _ = try writer.requests(writer.site(), below: "dist")
        let arguments = ["-c", "cd dist && exec \"$@\"", "sh"] + command
        let (status, output) = try folder.run("sh", arguments, environment: ["LC_ALL": "C.UTF-8"])
        #expect(status == 0, "\(output)")
        do {
            let archive = try ValidatedArchive(file: folder("f.zip"))
            #expect(!archive.entries.isEmpty)
            for entry in archive.entries { _ = try archive.bytes(of: entry.path, maximumByteCount: 1 << 20) }
        } catch {
            Issue.record("\(error)")
        }
    }
}
