import Foundation
import PackJSON
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The gate and the web rules of a channel, from the command line to the pages of a device that goes on running.
struct GateCommandTests {
    private func get(_ url: String) async throws -> (text: String, status: Int) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.setValue("document", forHTTPHeaderField: "Sec-Fetch-Dest")
        request.setValue("text/html", forHTTPHeaderField: "Accept")
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse).statusCode)
    }

    @Test func `a gate and rules reach a device that serves its pages, and can be taken back`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try tool.write(["dist/index.html": "<title>one</title>", "dist/film.mp4": "0123456789"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "packages"
        ).expectSuccess()
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta").expectSuccess()
        let device = ["--store", "device", "--channel", "beta"]
        func update() async throws {
            let outcome = try await tool.run(["client", "update", "--root", ".packtool/root.json"] + device)
            try #require([0, 2].contains(outcome.exitCode), "\(outcome)")
        }
        try await update()
        let server = try tool.start(["client", "serve", "--port", "0"] + device)
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let base = try String(#require(line.firstMatch(of: /http:\/\/127.0.0.1:[0-9]+/)).output)
        #expect(try await get(base + "/shop/").text.contains("<title>one"))

        // The version has no pages on the web: that is more than the command says, so it asks.
        let asked = try await tool.run("gate", "shop", "--channel", "beta", "--off")
        expectClearError(
            asked, naming: ["shop 1.0.0 lists no origins", "show an error page", "Nothing was done", "--yes"],
            exitCode: 3)
        #expect(try await tool.run("gate", "shop", "--channel", "beta").standardOutput.contains("is on: pages load"))
        let proposed = try await tool.run("gate", "shop", "--channel", "beta", "--off", "--propose")
        #expect(proposed.exitCode == 3 && proposed.standardError.contains("lists no origins"), "\(proposed)")
        let off = try await tool.run("gate", "shop", "--channel", "beta", "--off", "--yes")
        let page = "devices show an error page in place of its pages, because shop 1.0.0 lists no origins\n"
        #expect(
            off.exitCode == 0
                && off.standardOutput == "beta: the gate of shop is off; from their next check on, " + page, "\(off)")
        #expect(try await tool.run("gate", "shop", "--channel", "beta", "--off").exitCode == 2)
        for (command, start) in [
            (["status"], "beta has the gate of shop off: "), (["channel", "beta"], "beta has the gate of shop off: "),
            (["gate", "shop", "--channel", "beta"], "beta: the gate of shop is off: "),
        ] {
            let shown = try await tool.run(command)
            #expect(shown.standardOutput.contains(start + page), "\(shown)")
        }
        // Publishing and rolling out leave it as it is.
        try tool.write(["dist/index.html": "<title>two</title>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", "1.1.0", "--out", "packages"
        ).expectSuccess()
        try await tool.run("publish", "packages/shop-1.1.0.zip", "--channel", "beta", "--rollout", "10").expectSuccess()
        try await update()
        let gone = try await get(base + "/shop/")
        #expect(gone.status >= 500 && !gone.text.contains("<title>one"), "\(gone)")
        let status = try await tool.run(["client", "status"] + device)
        #expect(status.standardOutput.contains("switched off by the channel"), "\(status)")
        try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100").expectSuccess()
        try await tool.run("gate", "shop", "--channel", "beta", "--on").expectSuccess()
        try await update()
        #expect(try await get(base + "/shop/").text.contains("<title>two"))

        // Rules of the channel: refused with the place of the fault, then obeyed, then taken back.
        try tool.write([
            "bad.json": #"{"format":1,"rules":[{"name":"films","action":"block"}]}"#,
            "api.json": #"{"format":1,"rules":[],"api":{"/api/":"https://api.example.com/"}}"#,
            "rules.json": #"{"format":1,"rules":[{"name":"films","action":"deny","types":["video/*"]}]}"#,
        ])
        let bad = try await tool.run("rules", "bad.json", "--channel", "beta")
        expectClearError(bad, naming: ["bad.json", "rules[0]", "local, online or deny"])
        let api = try await tool.run("rules", "api.json", "--channel", "beta")
        expectClearError(api, naming: ["have no \"api\""])
        let given = try await tool.run("rules", "rules.json", "--channel", "beta")
        #expect(given.exitCode == 0 && given.standardOutput.contains("devices have 1 web rule from"), "\(given)")
        #expect(try await tool.run("rules", "--channel", "beta").standardOutput.contains("films"))
        #expect(try await get(base + "/shop/film.mp4").status == 200)
        try await update()
        _ = try await get(base + "/shop/")
        #expect(try await get(base + "/shop/film.mp4").status == 403)
        let told = try await tool.run(["client", "explain"] + device)
        #expect(told.standardOutput.contains("the channel has 1 web rule\n"), "\(told)")
        try await tool.run("rules", "--clear", "--channel", "beta").expectSuccess()
        try await update()
        _ = try await get(base + "/shop/")
        #expect(try await get(base + "/shop/film.mp4").status == 200)
        let audit = try await tool.run("audit")
        #expect(audit.standardOutput.contains("gate") && audit.standardOutput.contains("rules"), "\(audit)")
    }

    @Test func `a gate asks only for offered versions whose pages are nowhere else, and names them`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--app", "shop", "--quiet").expectSuccess()
        func publish(_ version: String, _ origins: String, _ more: String...) async throws {
            try tool.write([
                "packtool.json":
                    #"{"package": "shop", "version": "\#(version)", "dist": "dist", "origins": [\#(origins)]}"#,
                "dist/index.html": "<title>\(version)</title>",
            ])
            try await tool.run("build", "--quiet").expectSuccess()
            try await tool.run(["publish", "packages/shop-\(version).zip", "--channel", "beta", "--yes"] + more)
                .expectSuccess()
        }
        try await publish("0.9.0", "")
        try await publish("1.0.0", "", "--rollout", "50")
        let two = try await tool.run("gate", "shop", "--channel", "beta", "--off")
        expectClearError(
            two, naming: ["shop 1.0.0 and 0.9.0 list no origins", "devices that have them show an error page"],
            exitCode: 3)
        try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100").expectSuccess()
        try await publish("1.1.0", "\"https://shop.example.com/\"", "--rollout", "10")
        let gate = ["gate", "shop", "--channel", "beta"]
        let mixed = try await tool.run(gate + ["--off"])
        expectClearError(mixed, naming: ["shop 1.0.0 lists no origins"], exitCode: 3)
        let off = try await tool.run(gate + ["--off", "--yes"]).expectSuccess()
        #expect(
            off.standardOutput.contains(
                "devices load its pages online, except those with shop 1.0.0, which show an error page, because shop 1.0.0 "
                    + "lists no origins"), "\(off)")
        try await tool.run(gate + ["--on"]).expectSuccess()
        // Once everybody is offered the version with origins, there is nothing to ask.
        try await tool.run("rollout", "shop", "--channel", "beta", "--percent", "100").expectSuccess()
        let all = try await tool.run(gate + ["--off"]).expectSuccess()
        #expect(all.standardOutput.hasSuffix("from their next check on, devices load its pages online\n"), "\(all)")
    }

    @Test(.onFolder) func `a damaged manifest stops no emergency, and is told where the gate is shown`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        try tool.write(["dist/index.html": "<title>one</title>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "packages"
        ).expectSuccess()
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta").expectSuccess()
        let folder = ".packtool/registry/view/targets/manifests/shop"
        let name = try #require(tool.listing(folder).keys.first { $0.hasSuffix(".1.0.0.json") })
        let unknown = "what devices with shop 1.0.0 show is not known, because the manifest of shop 1.0.0 is damaged: "
        try tool.write(["\(folder)/\(name)": "{}"])
        let off = try await tool.run("gate", "shop", "--channel", "beta", "--off").expectSuccess()
        #expect(
            off.standardOutput.hasPrefix("beta: the gate of shop is off; from their next check on, " + unknown),
            "\(off)")
        for command in [["status"], ["channel", "beta"], ["gate", "shop", "--channel", "beta"]] {
            try tool.write(["\(folder)/\(name)": "{}"])
            let shown = try await tool.run(command).expectSuccess()
            #expect(shown.standardOutput.contains(unknown), "\(shown)")
        }
    }

    @Test func `how often devices look is set, shown, bounded and taken back`() async throws {
        let tool = try Tool()
        try await tool.run("init", "--app", "shop").expectSuccess()
        let none = try await tool.run("channel", "beta", "--poll", "15m")
        expectClearError(none, naming: ["there is no channel beta"])
        try tool.write(["dist/index.html": "<title>one</title>"])
        try await tool.run(
            "build", "dist", "--package", "shop", "--package-version", "1.0.0", "--out", "packages"
        ).expectSuccess()
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "beta").expectSuccess()
        #expect(try await tool.run("channel", "beta").standardOutput.contains("beta has no settings"))
        let set = try await tool.run("channel", "beta", "--poll", "15m")
        #expect(set.exitCode == 0 && set.standardOutput.contains("every 15 min, up to 90 s later"), "\(set)")
        #expect(try await tool.run("channel", "beta", "--poll", "15m").exitCode == 2)
        // Looking changes nothing.
        for _ in 0..<2 { #expect(try await tool.run("channel", "beta").standardOutput.contains("every 15 min")) }
        for (text, reason) in [("1s", "a minute"), ("often", "is no time"), ("9d", "a week")] {
            let outcome = try await tool.run("channel", "beta", "--poll", text)
            #expect(outcome.exitCode != 0 && outcome.standardError.contains(reason), "\(outcome)")
        }
        let unknown = try await tool.run("gate", "shpo", "--channel", "beta", "--off")
        expectClearError(unknown, naming: ["shpo", "it has: shop"])
        try await tool.run("channel", "beta", "--poll", "app").expectSuccess()
        #expect(try await tool.run("channel", "beta").standardOutput.contains("beta has no settings"))
    }
}
