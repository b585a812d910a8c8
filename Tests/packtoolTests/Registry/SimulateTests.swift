import Foundation
import PackJSON
import Testing

/// `packtool simulate` on a real registry with real patches.
struct SimulateTests {
    @Test func `a rollout is simulated with the registry's downloads, as text, JSON and image`() async throws {
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
        let before = try tool.listing(".packtool/registry/view")
        let asked = [
            "simulate", "shop", "--channel", "beta", "--population", "people.json", "--step", "10@0h", "--step",
            "100@24h", "--svg", "curve.svg",
        ]
        let said = try await tool.run(asked).expectSuccess()
        #expect(said.standardOutput.hasPrefix("shop 1.1.0 on 20,000 devices\n"), "\(said)")
        #expect(said.standardOutput.contains("·") && said.standardOutput.contains("█"), "\(said)")
        let json = try await tool.run(asked + ["--json"]).json().object()
        #expect(try json.integer("updated") == 20_000)
        let first = try json.array("steps")[0].object().integer("newDevices")
        #expect(abs(first - 2_000) < 200)
        // 0.5.0 was never published: no patch leads from it.
        #expect(abs(try json.integer("withoutPatch") - 2_000) < 200)
        #expect(try json.integer("bytes") > 0)
        let image = String(decoding: try tool.read("curve.svg"), as: UTF8.self)
        #expect(image.hasPrefix("<svg") && image.hasSuffix("</svg>\n"))
        let well = try await tool.shell("python3 -c 'import xml.dom.minidom as m; m.parse(\"curve.svg\")'")
        #expect(well.exitCode == 0, "\(well)")
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
}
