import Foundation
import TestSupport
import Testing

/// Programs in JavaScript over the binding of `bindings/node`, run by Node with libpackhost against a real registry.
@Suite(.serialized)
struct NodeBindingTests {
    private static let built = Result { try BuiltBinding("node") }
    private let binding: BuiltBinding

    init() throws { binding = try Self.built.get() }

    private func run(
        _ name: String, _ arguments: [String], answer: ((String) throws -> Void)? = nil
    ) throws -> String {
        try run(CProgram.programs.appendingPathComponent("node/\(name).mjs"), arguments, answer: answer)
    }

    private func run(
        _ program: URL, _ arguments: [String], answer: ((String) throws -> Void)? = nil
    ) throws -> String {
        try ProgramRun(
            program: URL(fileURLWithPath: "/usr/bin/env"), arguments: ["node", program.path] + arguments,
            environment: ["PACKHOST_NODE": binding.folder.path]
        ).output(answer: answer)
    }

    @Test func `an app in Node installs, shows, confirms, updates, goes back and starts offline`() throws {
        let served = try ServedShop()
        let said = try run("life", served.arguments(), answer: served.answer)
        #expect(said == "publish 2.0.0 two\npublish 3.0.0 three\ndone\n")
    }

    @Test func `a version that an app in Node never confirms is left after its starts`() throws {
        let served = try ServedShop()
        #expect(try run("start", served.arguments() + ["confirm"]) == "one\n")
        try served.publish("2.0.0", "two")
        // The first start still has the first version, and downloads the second.
        let titles = try (0..<4).map { _ in try run("start", served.arguments()) }
        #expect(titles == ["one\n", "two\n", "two\n", "one\n"])
    }

    @Test func `the handler for Electron answers requests of the web with its responses`() throws {
        let served = try ServedShop()
        #expect(try run("protocol", served.arguments()) == "done\n")
        withExtendedLifetime(served) {}
    }

    @Test func `the Node program of docs/BINDINGS.md runs as it stands there`() throws {
        let served = try ServedShop()
        let scope = served.project.url.appendingPathComponent("node_modules/@packtool")
        try FileManager.default.createDirectory(at: scope, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: scope.appendingPathComponent("host"), withDestinationURL: binding.folder)
        let program = served.project.url.appendingPathComponent("app.js")
        try Data(BuiltBinding.documented("js").utf8).write(to: program)
        let said = try run(program, served.arguments())
        #expect(said.contains("phase: 'downloading'"), "\(said)")
        #expect(said.contains("200 installed ["), "\(said)")
        #expect(said.contains("<title>one</title>"), "\(said)")
        #expect(try served.project.run("client", "status", "--store", served.arguments()[0]).contains("confirmed"))
    }

    @Test func `nothing that an app in Node does wrong ends its process, also in eight workers`() throws {
        let served = try ServedShop()
        #expect(try run("start", served.arguments() + ["confirm"]) == "one\n")
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == "1"
        #expect(try run("misuse", served.arguments() + [isLong ? "5000" : "500"]) == "done\n")
        // And the store is as good as before.
        #expect(try run("start", served.arguments()) == "one\n")
    }

    @Test func `an app in Node may end in the middle of an update`() throws {
        // Hardly compressible, so that its download has dozens of events.
        let data = (0..<200_000).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        let served = try ServedShop(data: data)
        for round in 0..<3 { #expect(try run("exit", served.arguments("store-\(round)")) == "leaving\n") }
    }
}
