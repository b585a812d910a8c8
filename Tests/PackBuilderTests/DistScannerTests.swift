import Foundation
import PackArchive
import PackFormat
import Testing

@testable import PackBuilder

struct DistScannerTests {
    private func scan(_ project: Project, rules: String = "", limits: ArchiveLimits = .standard) throws -> ScannedDist {
        try DistScanner(rules: PathRules(text: rules), limits: limits).scan(project("dist"))
    }

    @Test func `files come in the order of their bytes, those of a folder where its name stands`() throws {
        let names = [
            "a", "a!", "a-b/x", "a.js", "b/c", "b/c.js", "b/c0/d", "b.d/e", "b0", "é/f", "z/y/x/w", "Z",
        ]
        let project = try Project(Dictionary(uniqueKeysWithValues: names.map { ("dist/\($0)", "x") }))
        let paths = try scan(project).files.map(\.path)
        #expect(paths == paths.sorted())
        #expect(Set(paths.map(\.text)) == Set(names))
    }

    @Test func `more folders than are read at a time are all found`() throws {
        let project = try Project()
        for number in 0..<600 { try project.write("x", to: "dist/\(number % 30)/\(number)/f\(number).txt") }
        let scan = try scan(project)
        #expect(scan.files.map(\.path) == scan.files.map(\.path).sorted())
        #expect(scan.files.count == 600)
        #expect(scan.files.allSatisfy { FileManager.default.fileExists(atPath: $0.place) })
    }

    @Test func `of several faults the one nearest to the root is told, and of those the first by name`() throws {
        let project = try Project(["dist/index.html": ""])
        for name in ["c/x", "a/b/c/x", "b/x"] {
            try project.write("", to: "dist/\(name)")
            try FileManager.default.createSymbolicLink(
                atPath: project("dist/\(name).link").path, withDestinationPath: "nowhere")
        }
        for _ in 0..<5 {
            let error = #expect(throws: BuildError.self) { try scan(project) }
            #expect(error.map { "\($0)" }?.contains("dist/b/x.link") == true)
        }
    }

    @Test func `too many files are an error, however they are spread`() throws {
        var limits = ArchiveLimits.standard
        limits.maximumFileCount = 5
        let project = try Project(["dist/a": "", "dist/b/c": "", "dist/d/e/f": "", "dist/g.map": ""])
        try project.write("", to: "dist/h")
        #expect(try scan(project, rules: "*.map", limits: limits).files.count == 4)
        try project.write("", to: "dist/d/e/g")
        #expect(throws: BuildError.self) { try scan(project, rules: "*.map", limits: limits) }
    }

    @Test func `the manifest's name is refused as a file and as a folder, in any letters`() throws {
        for name in ["pack.json", "Pack.JSON", "PACK.json/inner/x", "pack.json/x"] {
            let project = try Project(["dist/index.html": "", "dist/\(name)": ""])
            let error = #expect(throws: BuildError.self) { try scan(project) }
            #expect(error.map { "\($0)" }?.contains(name) == true)
        }
        let project = try Project(["dist/index.html": "", "dist/a/pack.json": "", "dist/pack.json5": ""])
        #expect(try scan(project).files.count == 3)
    }

    @Test func `two Unicode forms of a name are two names, and the one that no package can have is told`() throws {
        for names in [["caf\u{E9}.png", "cafe\u{301}.png"], ["\u{E9}/x", "e\u{301}/y"]] {
            let project = try Project(["dist/index.html": ""])
            for name in names { try project.write("x", to: "dist/\(name)") }
            let scan = try scan(project)
            #expect(scan.files.count == 2)
            #expect(scan.invalidNames.map { Array($0.path.utf8) } == [Array(names[1].utf8)])
        }
    }

    @Test func `a compressed copy goes only where the original is and no pattern decides`() throws {
        let project = try Project([
            "dist/a.js": "", "dist/a.js.gz": "", "dist/a.js.br": "", "dist/b.gz": "", "dist/c/d.css": "",
            "dist/c/d.css.zst": "", "dist/e.js": "", "dist/e.js.gz": "",
        ])
        let scan = try scan(project, rules: "!e.*.gz")
        #expect(scan.files.map(\.path.text) == ["a.js", "b.gz", "c/d.css", "e.js", "e.js.gz"])
        #expect(scan.leftOut.map(\.path) == ["a.js.br", "a.js.gz", "c/d.css.zst"])
    }
}
