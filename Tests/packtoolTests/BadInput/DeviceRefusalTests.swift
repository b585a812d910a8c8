import Foundation
import PackJSON
import Testing

/// A device whose store, clock or company is not as it should be.
struct DeviceRefusalTests {
    /// A registry folder with version 1.0.0 of `shop` on beta, and a device that has it.
    private static func device() async throws -> Tool {
        let tool = try Tool()
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        try await publish(tool, "1.0.0")
        let updated = try await tool.run(update)
        #expect(updated.exitCode == 0, "\(updated)")
        return tool
    }

    private static let update = ["client", "update", "--store", "device", "--channel", "beta"]

    private static func publish(_ tool: Tool, _ version: String) async throws {
        try tool.write([
            "dist/index.html": "<!doctype html><title>\(version)</title>",
            "dist/app.js": String(repeating: "console.log('\(version)');\n", count: 2_000),
        ])
        let build = ["build", "dist", "--package", "shop", "--package-version", version]
        for arguments in [build, ["publish", "packages/shop-\(version).zip", "--channel", "beta"]] {
            let outcome = try await tool.run(arguments)
            #expect(outcome.exitCode == 0, "\(outcome)")
        }
    }

    private static func active(_ tool: Tool) async throws -> String {
        let status = try await tool.run("client", "status", "--store", "device", "--json")
        return try status.json().object().object("packages").object("shop").string("active")
    }

    @Test func `a store of a newer packtool is left alone`() async throws {
        let tool = try await Self.device()
        var state = try JSONValue(parsing: Array(tool.read("device/state.json"))).object("state")
        state["format"] = 999
        try tool.write(["device/state.json": String(decoding: JSONValue.object(state).canonicalBytes, as: UTF8.self)])
        for command in ["update", "status", "gc", "start"] {
            try await expectRefusal(tool, "client", command, "--store", "device", naming: ["999", "device"])
        }
    }

    /// A start of an unknown name would be a wish that each later update tries to fulfil.
    @Test(arguments: ["start", "status", "confirm", "rollback"])
    func `a misspelt package is told what the store has, and becomes none`(verb: String) async throws {
        let tool = try await Self.device()
        let outcome = try await tool.run("client", verb, "--store", "device", "--package", "shpo")
        expectClearError(
            outcome, naming: ["device has nothing of shpo (it has: shop)", "client update --package shpo"])
        let status = try await tool.run("client", "status", "--store", "device").expectSuccess()
        #expect(status.standardOutput.hasPrefix("shop ") && !status.standardOutput.contains("shpo"), "\(status)")
        #expect(try !String(decoding: tool.read("device/state.json"), as: UTF8.self).contains("shpo"))
    }

    @Test func `a store that is no store is refused`() async throws {
        let tool = try await Self.device()
        try tool.write(["file": "x"])
        try await expectRefusal(tool, "client", "update", "--store", "file", "--channel", "beta", naming: ["file"])
        try await expectRefusal(tool, "client", "status", "--store", "nowhere", naming: ["nowhere"])
    }

    @Test func `a first update that reaches nothing, or nothing signed, leaves no store`() async throws {
        let tool = try await Self.device()
        let update = ["client", "update", "--store", "fresh", "--channel", "beta", "--registry"]
        try await expectRefusal(tool, arguments: update + ["http://127.0.0.1:9/"], naming: ["127.0.0.1"])
        try await tool.shell("cp -r .packtool/registry spoiled && echo {} > spoiled/view/metadata/timestamp.json")
        try await expectRefusal(tool, arguments: update + ["spoiled"], naming: ["signed metadata"])
        #expect(try tool.listing().keys.filter { $0.hasPrefix("fresh") } == [])
    }

    @Test func `a damaged state is refused by every verb but the repair, which mends it`() async throws {
        let tool = try await Self.device()
        try tool.write(["device/state.json": "{"])
        for verb in ["status", "start", "confirm", "rollback"] {
            try await expectRefusal(tool, "client", verb, "--store", "device", naming: ["state.json", "repair"])
        }
        let repair = try await tool.run("client", "repair", "--store", "device", "--channel", "beta")
        #expect(repair.exitCode == 0 && repair.standardOutput.contains("state.json was damaged"), "\(repair)")
        #expect(try await Self.active(tool) == "1.0.0")
        let start = try await tool.run("client", "start", "--store", "device")
        #expect(start.exitCode == 0 && start.standardOutput.contains("1.0.0"), "\(start)")
    }

    @Test func `a collection that cannot read a folder removes nothing`() async throws {
        let tool = try await Self.device()
        let objects = try tool.listing("device/objects")
        let drop = "setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all"
        let prefix = getuid() == 0 ? drop : ""
        for folder in ["device/unzipFiles", "device/unzipFiles/shop", "device/unzipFiles/shop/1.0.0"] {
            try await tool.shell("chmod 000 \(folder)")
            _ = try await tool.shell("\(prefix) \(Tool.executable.path) client gc --store device || true")
            try await tool.shell("chmod 755 \(folder)")
            #expect(try tool.listing("device/objects") == objects, "\(folder)")
        }
    }

    @Test func `of two updaters on one store at once, one works and the other says so`() async throws {
        let tool = try await Self.device()
        try await Self.publish(tool, "1.1.0")
        let both = try (0..<2).map { _ in try tool.start(Self.update) }
        var codes: [Int32] = []
        for running in both {
            let outcome = await running.outcome()
            if outcome.exitCode == 1 { expectClearError(outcome, naming: ["device"]) }
            codes.append(outcome.exitCode)
        }
        // Who came second waited and found nothing to do, or was sent away.
        #expect(codes.count { $0 == 0 } == 1 && codes.allSatisfy { (0...2).contains($0) }, "\(codes)")
        #expect(try await Self.active(tool) == "1.1.0")
        let repair = try await tool.run("client", "repair", "--store", "device", "--channel", "beta")
        #expect(repair.exitCode == 0 && repair.standardOutput.contains("0 faults"), "\(repair)")
    }

    @Test func `a store that another updater holds is named, and left as it is`() async throws {
        let tool = try await Self.device()
        try await Self.publish(tool, "1.1.0")
        let before = try tool.listing("device")
        let command = ([Tool.executable.path] + Self.update).joined(separator: " ")
        let outcome = try await tool.shell("exec flock device/update.lock \(command)")
        expectClearError(outcome, naming: ["device"])
        #expect(try tool.listing("device") == before)
    }

    @Test func `with the clock set back a year the device goes on, and takes updates`() async throws {
        let tool = try await Self.device()
        try await Self.publish(tool, "1.1.0")
        let command = ([Tool.executable.path] + Self.update).joined(separator: " ")
        let outcome = try await tool.shell("faketime -f -365d \(command)")
        #expect(outcome.exitCode == 0, "\(outcome)")
        #expect(try await Self.active(tool) == "1.1.0")
    }

    @Test func `with the clock years ahead nothing new is installed, and what runs keeps running`() async throws {
        let tool = try await Self.device()
        try await Self.publish(tool, "1.1.0")
        let command = ([Tool.executable.path] + Self.update).joined(separator: " ")
        let outcome = try await tool.shell("faketime -f +3650d \(command)")
        expectClearError(outcome, naming: ["expired"])
        #expect(try await Self.active(tool) == "1.0.0")
        let start = try await tool.shell("faketime -f +3650d \(Tool.executable.path) client start --store device")
        #expect(start.exitCode == 0 && start.standardOutput.contains("1.0.0"), "\(start)")
    }
}
