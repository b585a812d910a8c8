import Foundation
import PackJSON
import Testing

/// `packtool registry check` on a registry in which files were lost or changed.
struct RegistryCheckTests {
    private let tool: Tool

    /// Two versions, with their zips.
    init() async throws {
        tool = try Tool()
        for version in ["1.0.0", "1.1.0"] {
            try tool.write([
                "dist/index.html": "<title>shop</title>", "dist/same.js": "// both",
                "dist/app.js": "// only \(version)",
            ])
            for arguments in [
                ["init", "--template", "config"],
                ["build", "dist", "--package", "shop", "--package-version", version, "--quiet"],
                ["publish", "packages/shop-\(version).zip", "--channel", "beta"],
            ] {
                let outcome = try await tool.run(arguments)
                try #require([0, 2].contains(outcome.exitCode), "\(arguments): \(outcome)")
            }
        }
    }

    private let view = ".packtool/registry/view"

    private func files(_ pattern: String) throws -> [String] {
        try tool.listing(view).keys.filter { $0.contains(pattern) }.sorted().map { "\(view)/\($0)" }
    }

    private func faults(_ arguments: String...) async throws -> (code: Int32, kinds: [String]) {
        let outcome = try await tool.run(["registry", "check", "--json"] + arguments)
        let kinds = try outcome.json().object().required("faults").array("faults").map { fault in
            let fault = try fault.object("fault")
            return try fault.string("kind") + (fault["repaired"] == .bool(true) ? " repaired" : "")
        }
        return (outcome.exitCode, kinds.sorted())
    }

    private func damage(_ file: String) async throws {
        let outcome = try await tool.shell("printf X | dd of='\(file)' bs=1 seek=3 conv=notrunc status=none")
        #expect(outcome.exitCode == 0, "\(outcome)")
    }

    @Test func `a sound registry is told so, and what it has`() async throws {
        let outcome = try await tool.run("registry", "check")
        #expect(outcome.exitCode == 0 && outcome.standardOutput.contains("4 files of versions"), "\(outcome)")
        #expect(outcome.standardOutput.contains("all sound"), "\(outcome)")
    }

    @Test(.onFolder) func `lost and damaged files are found, and mended from the zips and the database`() async throws {
        let before = try tool.listing(view)
        let objects = try files("objects/")
        try #require(objects.count == 4)
        try FileManager.default.removeItem(at: tool.folder.appending(path: objects[0]))
        try await damage(objects[1])
        try await damage(try #require(files("channels.json").last))
        try await damage(try #require(files("targets/manifests/").first))
        let found = try await faults()
        #expect(found.code == 1 && found.kinds == ["damaged", "damaged", "damaged", "missing"])
        let told = try await tool.run("registry", "check")
        expectClearError(told, naming: ["4 files", "--repair"])
        let repaired = try await faults("--repair")
        #expect(repaired.code == 0)
        #expect(repaired.kinds == ["damaged repaired", "damaged repaired", "damaged repaired", "missing repaired"])
        #expect(try await faults().kinds.isEmpty)
        #expect(try tool.listing(view) == before)
    }

    @Test func `a document that a server shows a moment later is not damaged`() async throws {
        let file = try tool.folder.appending(path: #require(files("channels.json").last))
        let bytes = try Data(contentsOf: file)
        try await damage(#require(files("channels.json").last))
        async let shown: Void = {
            try await Task.sleep(for: .milliseconds(900))
            try bytes.write(to: file)
        }()
        #expect(try await faults().kinds.isEmpty)
        try await shown
    }

    @Test(.onFolder) func `what no sound zip has is said to be left`() async throws {
        for zip in try files("packages/") { try await damage(zip) }
        let object = try #require(files("objects/").first)
        try await damage(object)
        let outcome = try await tool.run("registry", "check", "--repair")
        expectClearError(outcome, naming: ["publish their versions again"])
        #expect(outcome.standardOutput.contains("damaged  objects/"), "\(outcome)")
    }

    @Test func `a server's registry is checked where its files are`() async throws {
        let outcome = try await tool.run("registry", "check", "--registry", "http://127.0.0.1:1")
        expectClearError(outcome, naming: ["where its files are"])
    }
}
