import Foundation
import PackJSON
import Testing

/// `packtool simulate` on a real registry with real patches.
struct SimulateTests {
    /// A channel that offers shop 1.1.0, after 1.0.0 from which a patch leads, and a population of 20,000 that check each six hours.
    private func project() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop", "--quiet").expectSuccess()
        for version in ["1.0.0", "1.1.0"] {
            let text = (0..<2_000).map { "step(\($0), '\(version)');" }.joined()
            try tool.write(["dist/index.html": "<title>\(version)</title>", "dist/app.js": text])
            try await tool.run(
                "build", "dist", "--package", "shop", "--package-version", version, "--out", "packages", "--quiet"
            ).expectSuccess()
            try await tool.run("publish", "packages/shop-\(version).zip", "--channel", "beta", "--quiet")
                .expectSuccess()
        }
        try tool.write([
            "people.json": """
            {"devices": 20000, "platforms": {"ios": 50, "android": 50},
             "versions": {"shop": {"1.0.0": 80, "0.5.0": 10, "none": 10}}, "checkIntervals": {"6h": 1}}
            """
        ])
        return tool
    }

    private static let command = ["simulate", "shop", "--channel", "beta", "--population", "people.json"]

    @Test func `a rollout is simulated with the registry's downloads, as text, JSON and image`() async throws {
        let tool = try await project()
        let before = try tool.listing(".packtool/registry/view")
        let asked = Self.command + ["--step", "10@0h", "--step", "100@24h", "--svg", "curve.svg"]
        let said = try await tool.run(asked).expectSuccess()
        #expect(said.standardOutput.hasPrefix("shop 1.1.0 on 20,000 devices\n"), "\(said)")
        // Thirty hours in sixty columns, the whole in twelve lines: a tenth after six hours, and all after thirty.
        let plot = said.standardOutput.split(separator: "\n").filter { $0.contains(" │") }.map {
            Array($0.drop { $0 != "│" }.dropFirst())
        }
        try #require(plot.count == 12 && plot.allSatisfy { $0.count == 60 }, "\(said)")
        func line(_ mark: Character, _ index: Int) -> [Int] { plot[index].indices.filter { plot[index][$0] == mark } }
        #expect(line("·", 0) == Array(48..<59) && line("█", 0) == [59], "the plan grows after a day: \(said)")
        #expect(line("·", 10).last ?? 60 < 12 && line("█", 11).first ?? 60 < 12, "\(said)")
        #expect(line("█", 9).allSatisfy { $0 >= 48 }, "nobody has it before its time: \(said)")
        let json = try await tool.run(asked + ["--json"]).json().object()
        #expect(try json.integer("updated") == 20_000)
        let first = try json.array("steps")[0].object().integer("newDevices")
        #expect(abs(first - 2_000) < 200)
        // 0.5.0 was never published: no patch leads from it.
        #expect(abs(try json.integer("withoutPatch") - 2_000) < 200)
        #expect(try json.integer("bytes") > 0)
        let image = String(decoding: try tool.read("curve.svg"), as: UTF8.self)
        #expect(image.hasPrefix("<svg") && image.hasSuffix("</svg>\n"))
        try tool.write(["curves.py": Self.curves])
        let well = try await tool.shell("python3 curves.py")
        #expect(well.exitCode == 0 && well.standardOutput == "as described\n", "\(well)")
        #expect(try tool.listing(".packtool/registry/view") == before)

        let shrinking = try await tool.run(
            "simulate", "shop", "--channel", "beta", "--population", "people.json", "--step", "50@0h", "--step", "10@1h"
        )
        #expect(shrinking.exitCode == 64 && shrinking.standardError.contains("a share only grows"), "\(shrinking)")
        try tool.write(["wrong.json": #"{"devices": 10, "platforms": {"ios": -3}}"#])
        let wrong = try await tool.run("simulate", "shop", "--channel", "beta", "--population", "wrong.json")
        expectClearError(wrong, naming: ["platforms.ios: a weight is 0 or more"])
        let unknown = try await tool.run("simulate", "shop@9.9.9", "--channel", "beta", "--population", "people.json")
        expectClearError(unknown, naming: ["shop 9.9.9 is not published", "1.1.0, 1.0.0"])
    }

    @Test func `what a population leaves out that the channel knows is said`() async throws {
        let tool = try await project()
        let offered = try await tool.run(Self.command).expectSuccess()
        #expect(
            offered.standardError.contains(
                "note: beta offers shop 1.1.0 to 100 % of the devices already, and the population has no device with it"
            ),
            "\(offered)")
        try tool.write(["known.json": #"{"devices": 100, "versions": {"shop": {"1.0.0": 1, "1.1.0": 9}}}"#])
        let known = ["simulate", "shop", "--channel", "beta", "--population", "known.json"]
        let quiet = try await tool.run(known).expectSuccess()
        #expect(!quiet.standardError.contains("note:"), "\(quiet)")
        // A set of which the population describes one package.
        for package in ["shop", "admin"] {
            try tool.write(["dist/index.html": "<title>\(package) 1.2.0</title>"])
            try await tool.run(
                "build", "dist", "--package", package, "--package-version", "1.2.0", "--out", "packages", "--quiet"
            ).expectSuccess()
        }
        try await tool.run(
            "publish", "packages/shop-1.2.0.zip", "packages/admin-1.2.0.zip", "--channel", "beta", "--rollout", "0",
            "--yes"
        ).expectSuccess()
        let set = try await tool.run(known).expectSuccess()
        #expect(set.standardOutput.hasPrefix("admin 1.2.0 and shop 1.2.0 on 100 devices"), "\(set)")
        #expect(
            set.standardError.contains("the population says nothing of admin: its devices count as having none"),
            "\(set)")
        #expect(!set.standardError.contains("already"), "\(set)")
    }

    /// The curves of the image: the devices' from nobody over a tenth to all, never down, and the plan's two steps.
    private static let curves = """
        import xml.dom.minidom
        lines = xml.dom.minidom.parse("curve.svg").getElementsByTagName("polyline")
        devices, plan = [[tuple(map(float, p.split(","))) for p in line.getAttribute("points").split()] for line in lines]
        assert plan == [(70, 350), (70, 320), (566, 320), (566, 50), (690, 50)], plan
        assert devices[0] == (70, 350) and devices[-1] == (690, 50) and len(devices) == 241, devices
        assert all(a[0] < b[0] and a[1] >= b[1] for a, b in zip(devices, devices[1:])), devices
        tenth = [y for x, y in devices if 70 + 620 * 6 / 30 <= x <= 566]
        assert len(tenth) > 100 and all(abs(y - 320) < 4 for y in tenth), tenth
        print("as described")
        """

    @Test func `a plan is simulated by the rule of its runner, with its cap and its start`() async throws {
        let tool = try await project()
        try tool.write([
            "plan.json": "// careful\n{\"steps\": [{\"share\": 10, \"for\": \"1d\"}, {\"share\": 100}]}",
            "manual.json": #"{"start": "manual", "steps": [{"share": 10, "for": "1d"}, {"share": 100}]}"#,
            "capped.json": #"{"steps": [{"share": 10, "for": "1h"}, {"share": 100}], "newDevicesPerHour": 1000}"#,
            "ended.json": #"{"steps": [{"share": 10}], "end": "2020-01-01T00:00:00Z"}"#,
            "wrong.json": "{\n\"steps\": [{\"share\": 10, \"for\": \"1h\"}, {\"share\": 5}]}",
        ])
        // The channel offers 1.1.0 to everybody already: the next version is nobody's yet.
        try tool.write(["dist/index.html": "<title>1.2.0</title>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", "1.2.0", "--out", "packages", "--quiet"
        ).expectSuccess()
        try await tool.run("publish", "packages/shop-1.2.0.zip", "--yes", "--quiet").expectSuccess()
        var command = Self.command
        command[1] = "shop@1.2.0"
        func simulate(_ more: String...) async throws -> JSONObject {
            try await tool.run(command + more + ["--json"]).json().object()
        }
        let stepped = try await simulate("--step", "10@0h", "--step", "100@24h")
        for plan in ["plan.json", "manual.json"] { #expect(try await simulate("--plan", plan) == stepped, "\(plan)") }
        // A thousand of 20,000 devices are 5 % an hour.
        let capped = try await simulate("--plan", "capped.json").array("steps").map { try $0.object() }
        let shares = try capped.map { "\(try $0.integer("share"))@\(try $0.integer("seconds") / 3_600)h" }
        #expect(shares == (1...20).map { "\($0 * 500)@\($0 - 1)h" })

        let wrong = try await tool.run(command + ["--plan", "wrong.json"])
        expectClearError(wrong, naming: ["wrong.json:2:", "steps[1].share", "a plan only grows"])
        let ended = try await tool.run(command + ["--plan", "ended.json"])
        expectClearError(ended, naming: ["the plan takes no step from now on"])
        let both = try await tool.run(command + ["--plan", "plan.json", "--step", "10@0h"])
        #expect(both.exitCode == 64 && both.standardError.contains("either --plan or --step"), "\(both)")
    }

    /// The population of docs/ROLLOUTS.md, and the schema for editors.
    @Test func `the documented population is one, by packtool and by the schema`() async throws {
        let tool = try await project()
        let document = try String(
            contentsOf: Tool.project.appendingPathComponent("docs/ROLLOUTS.md"), encoding: .utf8)
        let text = try #require(document.firstMatch(of: /\n {4}(\{"devices"[\s\S]*?\}\})\n\n/)).1
        // A million takes a while in a debug build.
        try tool.write(["people.json": String(text.replacing("1000000", with: "1000"))])
        let said = try await tool.run(Self.command).expectSuccess()
        #expect(said.standardOutput.contains(" on 1,000 devices\n"), "\(said)")
        try await tool.expectSchema(
            "population", allows: ["people.json"],
            #"({"devices": 1}, {"devices": 9, "appVersions": {"3.2": 1, "2024.3.1 (17)": 2}, "checkIntervals": {"90s": 1}})"#,
            refuses: """
                ({}, {"devices": 0}, {"devices": 1, "plattforms": {"ios": 1}}, {"devices": 1, "platforms": {}},
                 {"devices": 1, "platforms": {"ios": -1}}, {"devices": 1, "networks": {"5g": 1}},
                 {"devices": 1, "checkIntervals": {"1y": 1}})
                """)
    }
}
