import Foundation
import PackFormat
import Testing

@testable import PackBuilder

struct PathPatternTests {
    /// gitignore lines, a path (a folder ends with a slash), and whether git ignores it.
    static let cases: [(lines: String, path: String, isIgnored: Bool)] = [
        ("*.map", "a.map", true), ("*.map", "a/b/c.map", true), ("*.map", "a.mapp", false), ("a", "x/a", true),
        ("/a", "x/a", false), ("/a", "a", true), ("a/b", "a/b", true), ("a/b", "x/a/b", false),
        ("**/a/b", "x/y/a/b", true), ("**/a/b", "a/b", true), ("a/**", "a", false), ("a/**", "a/b/c", true),
        ("a/**/z", "a/z", true), ("a/**/z", "a/b/c/z", true), ("a/**/z", "b/a/z", false), ("b/", "b", false),
        ("b/", "b/", true), ("b/", "a/b/", true), ("a/*/c", "a/b/c", true), ("a/*/c", "a/b/b/c", false),
        ("?.js", "a.js", true), ("?.js", "ab.js", false), ("??.js", "ü.js", true), ("[a-c].js", "b.js", true),
        ("[!a-c].js", "b.js", false), ("[!a-c].js", "d.js", true), ("[]].js", "].js", true), ("\\#x", "#x", true),
        ("#x", "#x", false), ("\\!x", "!x", true), ("x ", "x", true), ("x\\ ", "x ", true),
        ("*.js\n!keep.js", "keep.js", false), ("*.js\n!keep.js", "other.js", true),
        ("!keep.js\n*.js", "keep.js", true), ("a*b*c*d", "aXbXcXd", true), ("a*b*c*d", "aXbXcX", false),
        ("*", "x", true), ("foo**bar", "fooxbar", true), ("foo**bar", "foo/bar", false), ("[", "[", false),
        ("\\*", "*", true), ("\\*", "x", false), ("x\r", "x", true),
    ]

    @Test(arguments: cases)
    func `a pattern means what gitignore(5) says`(lines: String, path: String, isIgnored: Bool) {
        let isFolder = path.hasSuffix("/")
        let decision = PathRules(text: lines).decision(
            PathRules.parts(isFolder ? String(path.dropLast()) : path), isFolder: isFolder)
        #expect((decision.map { !$0.isNegated } ?? false) == isIgnored)
    }

    @Test func `git agrees`() throws {
        for (lines, path, isIgnored) in Self.cases where !lines.contains("\r") {
            let project = try Project([".gitignore": lines])
            let isFolder = path.hasSuffix("/")
            let name = isFolder ? path + "inner" : path
            guard lines != "*", lines != "a/**" || !isFolder else { continue }
            try project.write("", to: name)
            #expect(try run("git", ["init", "-q"], in: project.url) == 0)
            let status = try run("git", ["check-ignore", "-q", "--no-index", "--", path], in: project.url)
            #expect((status == 0) == isIgnored, "\(lines) on \(path)")
        }
    }

    @Test func `a pattern of many stars is matched in little time`() throws {
        let name = String(repeating: "a", count: 250)
        let pattern = String(repeating: "a*", count: 100) + "b"
        #expect(PathRules(text: pattern).decision(PathRules.parts(name), isFolder: false) == nil)
        let deep = Array(repeating: "a", count: 120).joined(separator: "/")
        let spans = String(repeating: "**/a/", count: 40) + "b"
        #expect(PathRules(text: spans).decision(PathRules.parts(deep), isFolder: false) == nil)
    }

    private func run(_ tool: String, _ arguments: [String], in folder: URL) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
