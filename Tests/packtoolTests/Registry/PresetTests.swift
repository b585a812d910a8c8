import Foundation
import PackJSON
import Testing

/// What an app embeds, from the command that writes it to the device that starts from it.
struct PresetTests {
    private static let preset = ["preset", "shop", "--channel", "beta", "--out", "preset"]

    /// A registry with `shop` 1.0.0 and a second package that shares a file with it, both on beta.
    private static func project() async throws -> Tool {
        let tool = try Tool()
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        try await publish(tool, "1.0.0")
        return tool
    }

    private static func publish(_ tool: Tool, _ version: String) async throws {
        let vendor = String(repeating: "export const shared = 1;\n", count: 400)
        for package in ["shop", "cart"] {
            try tool.write([
                "sites/\(version)/\(package)/index.html": "<!doctype html><title>\(package) \(version)</title>",
                "sites/\(version)/\(package)/vendor.js": vendor,
            ])
        }
        for arguments in [
            [
                "build", "sites/\(version)/shop", "sites/\(version)/cart", "--package", "shop", "--package", "cart",
                "--package-version", version, "--shared", "auto", "--out", "packages-\(version)",
            ]
        ] {
            let outcome = try await tool.run(arguments)
            try #require(outcome.exitCode == 0, "\(outcome)")
        }
        let published = try await tool.run(
            URL(fileURLWithPath: "/bin/bash"),
            ["-c", "'\(Tool.executable.path)' publish packages-\(version)/*.zip --channel beta"], environment: [:])
        try #require(published.exitCode == 0, "\(published)")
    }

    @Test(.onFolder) func `a device starts from a preset without any registry, and then updates by a patch`()
        async throws
    {
        let tool = try await Self.project()
        let written = try await tool.run(Self.preset + ["--json"])
        #expect(written.exitCode == 0, "\(written)")
        #expect(try written.json().object().object("versions").string("shop") == "1.0.0")

        // The device has the preset and the root, and no way to a registry.
        let alone = try Tool()
        try await alone.shell("cp -r '\(tool.folder.path)/preset' '\(tool.folder.path)/.packtool/root.json' .")
        let device = ["--store", "device", "--root", "root.json", "--preset", "preset", "--channel", "beta"]
        let start = try await alone.run(
            ["client", "start", "--json"] + device + ["--registry", "http://127.0.0.1:1"])
        #expect(start.exitCode == 0, "\(start)")
        let shop = try start.json().object().object("packages").object("shop")
        #expect(try shop.string("version") == "1.0.0")
        for file in ["index.html", "vendor.js"] {
            let installed = try Data(contentsOf: URL(fileURLWithPath: shop.string("folder")).appending(path: file))
            #expect(try installed == tool.read("sites/1.0.0/shop/\(file)"), "\(file)")
        }

        try await Self.publish(tool, "1.1.0")
        let registry = tool.folder.appendingPathComponent(".packtool/registry").path
        let update = try await alone.run(
            ["client", "update"] + device + ["--registry", registry, "--package", "shop"])
        #expect(update.exitCode == 0 && update.standardOutput.contains("shop 1.1.0 is active"), "\(update)")
    }

    @Test func `an older preset is replaced, any other folder is left alone`() async throws {
        let tool = try await Self.project()
        #expect(try await tool.run(Self.preset).exitCode == 0)
        let first = try tool.listing("preset")
        #expect(try await tool.run(Self.preset).exitCode == 0)
        #expect(try tool.listing("preset").keys == first.keys)
        let sites = try tool.listing("sites")
        let refused = try await tool.run("preset", "shop", "--channel", "beta", "--out", "sites")
        expectClearError(refused, naming: ["sites", "not a preset"])
        #expect(try tool.listing("sites") == sites)
    }

    @Test func `a package that the channel does not offer is named`() async throws {
        let tool = try await Self.project()
        for (name, word) in [("other", "other"), ("shop@9.0.0", "9.0.0")] {
            let outcome = try await tool.run("preset", name, "--channel", "beta", "--out", "preset")
            expectClearError(outcome, naming: [word])
        }
        #expect(try tool.listing("preset").isEmpty)
        #expect(try tool.listing().keys.filter { $0.hasPrefix(".preset") } == [])
    }
}
