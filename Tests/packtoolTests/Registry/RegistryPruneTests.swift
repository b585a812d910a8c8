import Foundation
import PackJSON
import Testing

/// `packtool registry prune` in the life of a registry: what devices are led to stays, and what went can be had again.
struct RegistryPruneTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private func publish(_ version: String, _ more: String...) async throws {
        try tool.write([
            "sites/\(version)/index.html": "<!doctype html><title>Shop \(version)</title>",
            "sites/\(version)/app.js": (0..<2_000).map { "step(\($0), '\(version)');" }.joined(separator: "\n"),
        ])
        try await tool.run(
            "build", "sites/\(version)", "--package", "shop", "--package-version", version, "--out", "packages"
        ).expectSuccess()
        try await tool.run(["publish", "packages/shop-\(version).zip", "--channel", "beta"] + more).expectSuccess()
    }

    private func later(_ command: String) async throws -> Outcome {
        try await tool.shell("faketime -f +40d '\(Tool.executable.path)' \(command)")
    }

    /// What a device shows after an update.
    private func title() async throws -> String {
        try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--registry", ".packtool/registry"
        ).expectSuccess()
        let started = try await tool.run("client", "start", "--store", "device", "--package", "shop", "--json")
        let folder = try started.json().object().object("packages").object("shop").string("folder")
        _ = try await tool.run("client", "confirm", "--store", "device", "--package", "shop")
        return try String(contentsOf: URL(filePath: "\(folder)/index.html"), encoding: .utf8)
    }

    @Test(.onFolder) func `old versions lose their files, devices go on, and a publication brings one back`()
        async throws
    {
        try await tool.run("init", "--app", "shop").expectSuccess()
        try await publish("1.0.0")
        _ = try await title()
        for version in ["1.1.0", "1.2.0", "1.3.0"] { try await publish(version) }
        let now = try await tool.run("registry", "prune", "--keep", "1")
        #expect(now.exitCode == 0 && now.standardOutput.contains("nothing to remove: 4 versions keep"), "\(now)")

        let before = try tool.listing(".packtool/registry/view")
        let asked = try await later("registry prune --keep 1")
        let words = ["2 versions without files: 1.0.0, 1.1.0", "would be removed", "--yes"]
        expectClearError(asked, naming: words, exitCode: 3)
        let dry = try await later("registry prune --keep 1 --dry-run --json").json().object()
        #expect(try tool.listing(".packtool/registry/view") == before)
        let done = try await later("registry prune --keep 1 --yes --json").json().object()
        #expect(try done.array("versions") == [.string("shop@1.0.0"), .string("shop@1.1.0")])
        #expect(try done.integer("bytes") == dry.integer("bytes") && done.integer("bytes") > 10_000)
        let after = try tool.listing(".packtool/registry/view")
        #expect(after.count < before.count && after.allSatisfy { before[$0.key] == $0.value })
        #expect(try await later("registry prune --keep 1").standardOutput.contains("nothing to remove"))
        #expect(try await tool.run("status").standardOutput.contains("files removed"))
        #expect(try await tool.run("registry", "check").standardOutput.contains("all sound"))

        #expect(try await title().contains("Shop 1.3.0"), "from a version whose files are gone")
        let refused = try await tool.run("rollback", "shop", "--to", "1.0.0", "--channel", "beta", "--yes")
        expectClearError(refused, naming: ["registry prune", "publish the same package again"])
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--yes").expectSuccess()
        #expect(try await title().contains("Shop 1.0.0"))
        #expect(try await tool.run("registry", "check").standardOutput.contains("all sound"))
    }

    @Test func `a prune that would reach too far is refused, and a server is told from a folder`() async throws {
        try await tool.run("init", "--app", "shop").expectSuccess()
        for (option, words) in [("--days", "at least 8"), ("--keep", "at least 1")] {
            let outcome = try await tool.run("registry", "prune", option, "0")
            #expect(outcome.exitCode == 64 && outcome.standardError.contains("error: \(option) must be \(words)"))
        }
        let server = try await tool.run("registry", "prune", "--registry", "http://127.0.0.1:9")
        expectClearError(server, naming: ["where its files are", "--registry"])
    }
}
