import PackJSON
import Testing

/// `packtool audit`: the log as an operator reads it.
struct AuditTests {
    @Test func `who did what is listed, newest first, in place and over HTTP alike`() async throws {
        let registry = try await LiveRegistry()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<h1>one</h1>"])
        let admin = try await registry.token("--admin")
        let environment = ["PACKTOOL_TOKEN": admin]
        let withdrawal = try await registry.tool.run(
            "withdraw", "shop@1.0.0", "--reason", "broken", "--yes", "--registry", registry.url,
            environment: environment)
        try #require(withdrawal.exitCode == 0, "\(withdrawal)")

        for more in [[], ["--dry-run"]] {
            let again = try await registry.tool.run(
                ["withdraw", "shop@1.0.0", "--reason", "twice", "--yes", "--registry", registry.url] + more,
                environment: environment)
            expectClearError(again, naming: ["shop 1.0.0 is withdrawn already (broken)"], exitCode: 2)
        }

        let local = try await registry.tool.run("audit", "--json").json().object().array("entries").map {
            try $0.object()
        }
        let remote = try await registry.tool.run(
            "audit", "--json", "--registry", registry.url, environment: environment
        ).json().object().array("entries").map { try $0.object() }
        #expect(local == remote)
        let actions = try local.map { try $0.string("action") }
        // With the owner's key at hand a withdrawal raises the package's minimum too.
        let withdrawn = try #require(actions.prefix(2).firstIndex(of: "withdraw"), "\(actions)")
        #expect(actions.last == "create", "\(actions)")
        #expect(
            try local[withdrawn].string("actor").hasPrefix("test (")
                && local[withdrawn].string("detail").contains("broken")
        )
        #expect(actions.contains("publish") && actions.contains { $0.contains("token") }, "\(actions)")

        let text = try await registry.tool.run("audit", "--limit", "2").standardOutput.split(separator: "\n")
        #expect(text.count == 3 && text[1 + withdrawn].contains("withdraw") && text[1 + withdrawn].contains("shop"))
        for (options, expected) in [
            (["--action", "withdraw", "--subject", "shop"], ["withdraw"]),
            (["--subject", "shop@1.0.0", "--actor", "test", "--since", "1h"], ["withdraw"]),
            (["--subject", "1.0.0", "--action", "publish"], ["publish"]),
            (["--subject", "sho"], []), (["--since", "2100-01-01T00:00:00Z"], []), (["--actor", "nobody"], []),
        ] {
            for place in [[], ["--registry", registry.url]] {
                let found = try await registry.tool.run(
                    ["audit", "--json"] + options + place, environment: environment
                )
                .expectSuccess()
                let actions = try found.json().object().array("entries").map { try $0.object().string("action") }
                #expect(actions == expected, "\(options): \(found)")
            }
        }
        let none = try await registry.tool.run("audit", "--actor", "nobody")
        #expect(none.exitCode == 0 && none.standardError.contains("no such entry"), "\(none)")
        expectClearError(
            try await registry.tool.run("audit", "--since", "yesterday"), naming: ["yesterday", "is no time"],
            exitCode: 64)
        let narrow = try await registry.token("--publish")
        let refused = try await registry.tool.run(
            "audit", "--registry", registry.url, environment: ["PACKTOOL_TOKEN": narrow])
        expectClearError(refused, naming: ["admin"])
        #expect(try await registry.tool.run("audit", "--limit", "0").exitCode == 64)
    }
}
