import Foundation
import Testing

/// Hostile and damaged zips against every command that takes one. What exactly is refused is tested in PackArchiveTests;
/// here: the command line says it, and nothing is written.
struct ArchiveRefusalTests {
    /// A project with a good package at `packages/shop-1.0.0.zip` and a registry that has nothing yet.
    private static func project() async throws -> Tool {
        let tool = try Tool()
        try tool.write(["package.json": #"{"name": "shop", "version": "1.0.0"}"#])
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        try tool.write([
            "dist/index.html": "<!doctype html><title>Shop</title>",
            "dist/app.js": String(repeating: "console.log('shop');\n", count: 500),
        ])
        let built = try await tool.run("build", "dist", "--out", "packages")
        #expect(built.exitCode == 0, "\(built)")
        return tool
    }

    /// What is done to the good package, as Python over `zip` (bytes in, bytes out).
    static let faults: [String: String] = [
        "truncated": "data = data[:-40]",
        "cut in half": "data = data[:len(data) // 2]",
        "empty": "data = b''",
        "text": "data = b'<html>not found</html>'",
        "data before": "data = b'MZ' + data",
        "data after": "data = data + b'more'",
        "a flipped byte of content":
            "i = data.index(b'app.js') + 40; data = data[:i] + bytes([data[i] ^ 1]) + data[i+1:]",
        "a path that leaves": "data = data.replace(b'app.js', b'../a.b')",
        "an absolute path": "data = data.replace(b'app.js', b'/etc/x')",
        "a duplicate": "data = again(data, 'app.js', b'2')",
        "a file that the manifest does not list": "data = again(data, 'more.js', b'2')",
        "a symbolic link": "data = again(data, 'link', b'/etc/passwd', mode=0o120777)",
        "another local name": "i = data.index(b'app.js'); data = data[:i] + b'apq.js' + data[i+6:]",
        "no manifest": "data = data.replace(b'pack.json', b'pick.json')",
        "encrypted": "i = data.index(b'PK\\x03\\x04'); data = data[:i+6] + bytes([data[i+6] | 1]) + data[i+7:]",
    ]

    private static func damage(_ tool: Tool, _ fault: String) async throws {
        try tool.write([
            "damage.py": """
            import io, sys, zipfile
            def again(data, name, content, mode=0o100644):
                buffer = io.BytesIO(data)
                with zipfile.ZipFile(buffer, "a") as archive:
                    info = zipfile.ZipInfo(name); info.external_attr = mode << 16
                    archive.writestr(info, content)
                return buffer.getvalue()
            data = open("packages/shop-1.0.0.zip", "rb").read()
            \(fault)
            open("bad.zip", "wb").write(data)
            """
        ])
        try await tool.shell("/usr/bin/python3 -W ignore damage.py && rm damage.py")
    }

    @Test(arguments: faults.keys.sorted())
    func `a damaged or hostile package is refused by every command`(name: String) async throws {
        let tool = try await Self.project()
        try await Self.damage(tool, try #require(Self.faults[name]))
        for arguments in [
            ["verify", "bad.zip"], ["inspect", "bad.zip"], ["diff", "packages/shop-1.0.0.zip", "bad.zip"],
            ["publish", "bad.zip", "--channel", "beta"],
        ] {
            let before = try tool.listing("packages").merging(tool.listing(".packtool/registry/view")) { $1 }
            let outcome = try await tool.run(arguments)
            expectClearError(outcome, naming: ["bad.zip"])
            let after = try tool.listing("packages").merging(tool.listing(".packtool/registry/view")) { $1 }
            #expect(before == after, "\(arguments)")
        }
    }

    @Test func `the good package is accepted by the same commands`() async throws {
        let tool = try await Self.project()
        for arguments in [
            ["verify", "packages/shop-1.0.0.zip"], ["inspect", "packages/shop-1.0.0.zip"],
            ["publish", "packages/shop-1.0.0.zip", "--channel", "beta"], ["verify", "shop@1.0.0"],
        ] {
            let outcome = try await tool.run(arguments)
            #expect(outcome.exitCode == 0, "\(arguments): \(outcome)")
        }
    }
}
