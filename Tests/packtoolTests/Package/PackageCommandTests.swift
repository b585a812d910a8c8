import Foundation
import PackFormat
import PackJSON
import Testing

/// `build`, `inspect`, `verify` and `diff` as a person runs them.
struct PackageCommandTests {
    private static let site = [
        "package.json": #"{"name": "@acme/shop", "version": "1.0.0"}"#,
        "dist/index.html": "<!doctype html>\n<img src='none.png'><script src='app.js'></script>",
        "dist/app.js": String(repeating: "console.log('shop');\n", count: 300), "dist/app.js.map": "{}",
        "dist/ü/größe.css": "a{}",
    ]

    @Test func `zone, locale, umask and the order of writing do not change a byte`() async throws {
        var zips: [Data] = []
        for (index, setting) in ["TZ=UTC LC_ALL=C", "TZ=Asia/Tokyo LC_ALL=C.UTF-8", "TZ=America/New_York LC_ALL="]
            .enumerated()
        {
            let tool = try Tool()
            let files = Self.site.sorted { index == 0 ? $0.key < $1.key : $0.key > $1.key }
            for file in files { try tool.write([file.key: file.value]) }
            let built = try await tool.shell(
                """
                umask 0\(index)7
                find dist -type f -exec touch -d '200\(index)-01-01' {} +
                env \(setting) '\(Tool.executable.path)' build dist --quiet
                """)
            #expect(built.exitCode == 0, "\(built)")
            zips.append(try tool.read("packages/shop-1.0.0.zip"))
        }
        #expect(zips[0] == zips[1] && zips[1] == zips[2])
    }

    @Test func `packages of several projects go where publish looks for them`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        for name in ["admin", "web"] {
            try tool.write([
                "apps/\(name)/packtool.json": "{\"package\": \"\(name)\", \"version\": \"1.0.0\"}",
                "apps/\(name)/dist/index.html":
                    "<!doctype html><title>\(name)</title><script>packtool.confirm()</script>",
            ])
        }
        try await tool.run("build", "apps/web/dist", "apps/admin/dist").expectSuccess()
        #expect(try tool.listing("packages").keys.sorted() == ["admin-1.0.0.zip", "web-1.0.0.zip"])
        #expect(try tool.listing("apps/web").keys.sorted() == ["dist/index.html", "packtool.json"])
        try await tool.run("publish", "--channel", "beta").expectSuccess()
        // One project has its own place.
        try await tool.run("build", "apps/web/dist").expectSuccess()
        #expect(try tool.listing("apps/web/packages").keys.sorted() == ["web-1.0.0.zip"])
    }

    @Test func `the report of a build has findings on stderr and one document on stdout`() async throws {
        let tool = try Tool()
        try tool.write(Self.site)
        let built = try await tool.run("build", "dist", "--json")
        #expect(built.exitCode == 0, "\(built)")
        let package = try #require(try built.json().object().array("packages").first).object()
        #expect(try package.string("package") == "shop")
        #expect(try package.array("leftOut").map { try $0.object().string("path") } == ["app.js.map"])
        let told = try await tool.run("build", "dist", "--out", "told")
        #expect(told.standardOutput.contains("  left out (1):\n    app.js.map  ("), "\(told)")
        let finding = try #require(try built.json().object().array("findings").first).object()
        #expect(try finding.string("kind") == "missing-file")
        #expect(try finding.integer("line") == 2)
        let strict = try await tool.run("build", "dist", "--strict", "--out", "strict", "--json")
        #expect(strict.exitCode == 1)
        let refused = try #require(try strict.json().object().array("findings").first).object()
        #expect(try refused.string("severity") == "error" && refused.string("kind") == "missing-file")
        #expect(strict.standardError.contains("index.html:2: error: "), "\(strict)")
        #expect(try tool.listing("strict").isEmpty)
    }

    @Test func `inspect, verify and diff read zips`() async throws {
        let tool = try Tool()
        try tool.write(Self.site)
        try await tool.run("build", "dist", "--quiet")
        try tool.write(["dist/app.js": "changed", "dist/new.js": "new"])
        try await tool.run("build", "dist", "--package-version", "1.1.0", "--quiet")
        let (old, new) = ("packages/shop-1.0.0.zip", "packages/shop-1.1.0.zip")
        let verified = try await tool.run("verify", old, new)
        #expect(verified.exitCode == 0, "\(verified)")
        #expect(verified.standardOutput.contains("valid, shop 1.1.0, 4 files"), "\(verified)")
        let inspected = try await tool.run("inspect", old, "--json")
        #expect(try inspected.json().object().object("manifest").string("package") == "shop")
        let diff = try await tool.run("diff", old, new, "--json")
        let changes = try diff.json().object().array("changes").map {
            try "\($0.object().string("kind")) \($0.object().string("path"))"
        }
        #expect(changes == ["changed app.js", "added new.js"])
        var broken = try tool.read(old)
        broken[60] ^= 1
        try broken.write(to: tool.folder.appendingPathComponent("broken.zip"))
        let refused = try await tool.run("verify", old, "broken.zip")
        #expect(refused.exitCode == 1)
        #expect(refused.standardError.contains("broken.zip"), "\(refused)")
    }

    @Test func `a version in the registry is inspected, verified and compared, and a build says what grew`()
        async throws
    {
        let tool = try Tool()
        try tool.write(Self.site)
        try await tool.run("build", "dist", "--quiet")
        try await tool.run("init", "--template", "config").expectSuccess()
        let published = try await tool.run("publish", "--channel", "beta")
        #expect(published.exitCode == 0, "\(published)")
        let verified = try await tool.run("verify", "shop@1.0.0")
        #expect(verified.exitCode == 0, "\(verified)")
        try tool.write(["dist/big.js": String(repeating: "0123456789", count: 1000)])
        let built = try await tool.run("build", "dist", "--package-version", "1.1.0")
        #expect(built.standardOutput.contains("against 1.0.0: +10"), "\(built)")
        #expect(
            built.standardOutput.contains("+10 kB  big.js") || built.standardOutput.contains("+10.0 kB  big.js"),
            "\(built)")
        let diff = try await tool.run("diff", "shop@1.0.0", "packages/shop-1.1.0.zip")
        #expect(diff.standardOutput.contains("+ big.js"), "\(diff)")
        let missing = try await tool.run("inspect", "shop@9.9.9")
        #expect(missing.exitCode == 1 && missing.standardError.contains("has no shop@9.9.9"), "\(missing)")
    }
}
