import Foundation
import PackJSON
import TestSupport
import Testing

/// Commands, a server and a device of a registry whose bucket is behind a network that spoils requests: what a command acknowledged is
/// there, what it could not do it says, and no device gets a wrong byte.
@Suite(.onFolder) struct FaultyStorageTests {
    private let storage: ToolStorage
    private let proxy: FaultProxy
    private let tool: Tool

    init() async throws {
        storage = try await ToolStorage()
        proxy = try await FaultProxy(before: storage.server.endpoint)
        (_, _, tool) = try await Tool.onPostgres()
        tool.environment.merge(storage.environment) { $1 }
    }

    /// What every machine uses, while others look past the proxy.
    private var throughProxy: [String: String] { ["PACKTOOL_STORAGE": storage.address(through: proxy)] }

    private func build(_ version: String) async throws {
        try tool.write([
            "dist/index.html": "<title>\(version)</title><script src=\"app.js\"></script>",
            "dist/app.js": "// \(version)",
            "dist/library.js": (0..<400).map { "export const f\($0) = () => \"\($0)\";" }.joined(separator: "\n")
                + version,
        ])
        try await tool.output(of: ["build", "dist", "--package", "shop", "--package-version", version, "--quiet"])
    }

    /// Publishes until a command says that it is done.
    private func publish(_ version: String) async throws {
        try await build(version)
        let arguments = ["publish", "packages/shop-\(version).zip", "--channel", "beta", "--yes"]
        for _ in 1...5 {
            let outcome = try await tool.run(arguments, environment: throughProxy)
            if outcome.exitCode == 0 { return }
            expectClearError(outcome, naming: [])
            #expect(!"\(outcome)".contains(SeaweedServer.secret))
        }
        Issue.record("\(version) was not published in five attempts")
    }

    /// That the version is offered, and that the bucket has everything that its timestamp leads to.
    private func expectWhole(_ version: String) async throws {
        let status = try await tool.run("status", "--channel", "beta", "--json").json().object()
        let newest = try status.object("channels").object("beta").array("shop").first?.object()
        #expect(try newest?.string("version") == version)
        let check = try await tool.output(of: ["registry", "check"])
        #expect(check.contains("all sound"), "\(check)")
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `what was acknowledged is offered, and a device shows whole versions only, which never go back`(seed: UInt64)
        async throws
    {
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
        try await publish("1.0.0")
        let (server, url) = try await tool.startServer(tool.serverMachine("second").merging(throughProxy) { $1 })
        try await tool.update("device", from: url, channel: "beta", to: "1.0.0")
        // About every fifth request.
        proxy.spoil(seed: seed, sides: 45, delay: .seconds(1), answersStale: true)
        var shown = "1.0.0"
        for number in 1...6 {
            try await publish("1.\(number).0")
            try await expectWhole("1.\(number).0")
            let outcome = try await tool.run(
                "client", "update", "--store", "device", "--channel", "beta", "--registry", url, "--timeout", "20")
            // What the server could not read in time is an error of the network, and no reason to distrust the registry.
            for word in ["signature", "go back", "refused", "digest"] {
                #expect(!outcome.standardError.contains(word), "\(outcome)")
            }
            let now = try await version(from: url)
            #expect(now >= shown, "\(now) after \(shown): \(outcome)")
            shown = now
        }
        #expect(proxy.seen.count > 200, "\(proxy.seen.count) requests in all")
        proxy.plan { _, _ in .none }
        try await tool.update("device", from: url, channel: "beta", to: "1.6.0")
        try await tool.update("new", from: url, channel: "beta", to: "1.6.0")
        server.kill(SIGTERM)
        #expect(await server.outcome().exitCode == 0, "\(server.log)")
        try await expectWhole("1.6.0")
    }

    private func version(from url: String) async throws -> String {
        try await tool.run("client", "start", "--store", "device", "--package", "shop", "--registry", url, "--json")
            .expectSuccess().json().object().object("packages").object("shop").string("version")
    }
}
