import PackFormat
import Testing

@testable import PackImporter

struct ZipRootTests {
    private static func prefix(_ paths: String..., entry: String = "index.html") throws -> String? {
        try ZipRoot(of: paths.map { try PackagePath($0) }, entry: PackagePath(entry))?.prefix
    }

    @Test func `the site is the root, or the only folder there`() throws {
        #expect(try Self.prefix("index.html", "www/index.html") == "")
        #expect(try Self.prefix("www/index.html", "www/js/a.js") == "www/")
        #expect(try Self.prefix("public/index.html", "__MACOSX/public/._index.html", ".DS_Store") == "public/")
        #expect(try Self.prefix("é/app/main.html", entry: "app/main.html") == "é/")
    }

    @Test func `two folders, a file beside it and a deeper site are none`() throws {
        #expect(try Self.prefix("www/index.html", "other/a.js") == nil)
        #expect(try Self.prefix("www/index.html", "a.js") == nil)
        #expect(try Self.prefix("a/b/index.html") == nil)
        #expect(try Self.prefix("Index.html") == nil)
        #expect(try Self.prefix() == nil)
    }

    @Test func `paths below the root lose it, and those outside are left out`() throws {
        let root = try #require(
            try ZipRoot(
                of: [PackagePath("www/index.html"), PackagePath("__MACOSX/x")], entry: PackagePath("index.html")))
        #expect(try root.path(of: PackagePath("www/js/a.js"))?.text == "js/a.js")
        #expect(try root.path(of: PackagePath("__MACOSX/x")) == nil)
    }
}
