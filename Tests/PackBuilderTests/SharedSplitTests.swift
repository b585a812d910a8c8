import Foundation
import PackArchive
import PackFormat
import Testing

@testable import PackBuilder

struct SharedSplitTests {
    private static let vendor = (0..<2000).map { "line \($0 * 7919 % 1000);" }.joined()
    private static let files = [
        "a/index.html": "a", "a/vendor.js": vendor, "a/only.js": "1", "b/index.html": "b", "b/lib/vendor.js": vendor,
        "c/index.html": "c", "c/other.js": "2",
    ]

    @Test func `equal content in two packages goes to the bundle, and paths stay`() throws {
        let project = try Project(Self.files)
        let report = try project.build("a", "b", "c") { $0.sharesAutomatically = true }
        #expect(report.packages.map(\.manifest.package.text) == ["shared", "a", "b", "c"])
        let bundle = report.packages[0]
        #expect(bundle.isBundle)
        #expect(bundle.manifest.entry == nil)
        #expect(bundle.manifest.version.description.hasPrefix("0.0.0-h"))
        #expect(try project.paths(bundle) == ["lib/vendor.js", "pack.json"])
        for (index, path) in [(1, "vendor.js"), (2, "lib/vendor.js")] {
            let manifest = report.packages[index].manifest
            let file = try #require(manifest.files[try PackagePath(path)])
            #expect(file.from == bundle.manifest.package)
            #expect(file.digest == Digest(of: Array(Self.vendor.utf8)))
            #expect(manifest.shared[bundle.manifest.package]?.manifest == bundle.manifestDigest)
            #expect(try !project.paths(report.packages[index]).contains(path))
        }
        #expect(report.packages[3].manifest.shared.isEmpty)
        for package in report.packages { _ = try PackageArchive.open(package.archive) }
    }

    @Test func `the price tag is what the zips are smaller`() throws {
        let project = try Project(Self.files)
        let apart = try project.build("a", "b", "c").packages.map(\.archiveSize)
        let report = try project.build("a", "b", "c") { $0.sharesAutomatically = true }
        let split = report.packages
        #expect(split[1].sharedSaving > 0 && split[1].sharedSaving == split[2].sharedSaving)
        #expect(split[3].sharedSaving == 0)
        let real = apart.reduce(0, +) - split.reduce(0) { $0 + $1.archiveSize }
        // Headers and the longer manifests are all that the tag does not count.
        #expect(abs(real - report.sharedSaving) < 700)
    }

    @Test func `the same content gives the same bundle, whatever the order and the other files`() throws {
        let project = try Project(Self.files)
        let first = try project.build("a", "b") { $0.sharesAutomatically = true }.packages[0]
        let bytes = try Data(contentsOf: first.archive)
        try project.write("changed", to: "a/only.js")
        let second = try project.build("b", "c", "a") { $0.sharesAutomatically = true }.packages[0]
        #expect(second.manifest.version == first.manifest.version)
        #expect(try Data(contentsOf: second.archive) == bytes)
        try project.write(Self.vendor + "x", to: "a/vendor.js")
        try project.write(Self.vendor + "x", to: "b/lib/vendor.js")
        let third = try project.build("a", "b") { $0.sharesAutomatically = true }.packages[0]
        #expect(third.manifest.version != first.manifest.version)
    }

    @Test func `patterns put files of one package into the bundle`() throws {
        var files = Self.files
        files["packtool.json"] = #"{"shared": {"name": "web-common", "include": ["vendor.js"]}}"#
        let project = try Project(files)
        let report = try project.build("a", "c")
        #expect(report.packages.map(\.manifest.package.text) == ["web-common", "a", "c"])
        #expect(try project.paths(report.packages[0]) == ["pack.json", "vendor.js"])
        #expect(report.sharedSaving < 0)
    }

    @Test func `two contents under one path both get into the bundle`() throws {
        let project = try Project([
            "a/index.html": "a", "a/v.js": "1", "b/index.html": "b", "b/v.js": "2", "b/V/x.js": "3", "a/v": "4",
            "packtool.json": #"{"shared": {"include": ["v*", "V/"]}}"#,
        ])
        let report = try project.build("a", "b")
        #expect(report.packages[0].manifest.files.count == 4)
        _ = try PackageArchive.open(report.packages[0].archive)
    }

    @Test func `a bundle named like a package is refused`() throws {
        var files = Self.files
        files["packtool.json"] = #"{"shared": {"name": "a", "auto": true}}"#
        let project = try Project(files)
        #expect(throws: BuildError.self) { try project.build("a", "b") }
        #expect(try !project.listing().contains("packages"))
    }

    @Test func `what differs between two versions is told by content`() throws {
        let project = try Project(["dist/index.html": "1", "dist/a.js": "same", "dist/b.js": "old", "dist/gone": "x"])
        let old = try project.build("dist").packages[0].manifest
        try project.write("new!", to: "dist/b.js")
        try FileManager.default.removeItem(at: project("dist/gone"))
        try FileManager.default.moveItem(at: project("dist/a.js"), to: project("dist/c.js"))
        try project.write("12", to: "dist/d.js")
        let new = try project.build("dist") { $0.versions = [try SemanticVersion("1.1.0")] }.packages[0].manifest
        let diff = ManifestDiff(from: old, to: new)
        #expect(
            diff.changes.map { "\($0.kind) \($0.path)" } == [
                "changed b.js", "moved c.js", "added d.js", "removed gone",
            ])
        #expect(diff.fields.map(\.name) == ["version"])
        #expect(diff.newObjectSize == 6)
    }
}
