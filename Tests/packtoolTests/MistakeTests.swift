import Foundation
import PackJSON
import Testing

/// What people mistype, and what they are told: never that somebody attacks them.
struct MistakeTests {
    @Test(arguments: [
        ("biuld", "did you mean packtool build?"), ("publsih", "did you mean packtool publish?"),
        ("roll-back", "did you mean packtool rollback?"), ("deploy", "There are: init, build"),
    ])
    func `a command that is not there gets a suggestion`(word: String, advice: String) async throws {
        let outcome = try await Tool().run(word, "dist")
        #expect(outcome.exitCode == 64 && outcome.standardOutput.isEmpty, "\(outcome)")
        #expect(outcome.standardError.contains("packtool has no command \(word)"), "\(outcome)")
        #expect(outcome.standardError.contains(advice), "\(outcome)")
        let below = try await Tool().run("client", "udpate", "--store", "x")
        #expect(below.standardError.contains("did you mean packtool client update?"), "\(below)")
        // A value that looks like a command is none.
        #expect(try await Tool().run("inspect", "biuld").standardError.contains("biuld is no file"))
    }

    @Test(arguments: [
        (
            "release shop@1.0.0 --channel stable --percent 25",
            "release has no option --percent: did you mean --rollout?"
        ),
        ("rollout shop --channel beta --rollout=5", "rollout set has no option --rollout: did you mean --percent?"),
        ("client update --stor x", "client update has no option --stor: did you mean --store?"),
        ("publish x.zip --json --chanel beta", "publish has no option --chanel: did you mean --channel?"),
        ("status --sideways", "status has no option --sideways. Those that it has: packtool status --help"),
        ("build dist --no-mandatori -- --never", "build has no option --no-mandatori."),
    ])
    func `an option that is not there is named, whatever else the command lacks then`(
        line: String, advice: String
    ) async throws {
        let outcome = try await Tool().run(line.split(separator: " ").map(String.init))
        #expect(outcome.exitCode == 64, "\(outcome)")
        #expect(outcome.standardError.hasPrefix("error: packtool \(advice)"), "\(outcome)")
        #expect(outcome.standardOutput.isEmpty == !line.contains("--json"), "\(outcome)")
    }

    @Test func `a device that is given a wrong name is told the names there are`() async throws {
        let scene = try await AttackScene()
        let device = ["client", "update", "--store", "device", "--registry", ".packtool/registry"]
        let channel = try await scene.tool.run(device + ["--channel", "betta"])
        expectClearError(channel, naming: ["the registry has no channel \"betta\" (there is: beta)"])
        #expect(!channel.standardError.contains("refused"), "\(channel)")
        let served = try await scene.serve()
        let fresh = ["client", "update", "--store", "new", "--channel", "betta", "--registry", served]
        expectClearError(try await scene.tool.run(fresh), naming: ["(there is: beta)"])
        let address = ["client", "update", "--store", "lost", "--channel", "beta", "--registry", served + "/nothing"]
        let lost = try await scene.tool.run(address + ["--root", ".packtool/root.json"])
        expectClearError(lost, naming: ["the registry does not have metadata/timestamp.json: check its address"])
        #expect(!lost.standardError.contains("refused"), "\(lost)")
        let package = try await scene.tool.run(device + ["--channel", "beta", "--package", "shpo"])
        expectClearError(package, naming: ["shpo: the channel \"beta\" does not have the package (it has: shop)"])
    }

    @Test func `releases that are asked for by a wrong name are told what is there`() async throws {
        let scene = try await AttackScene()
        for command in [["rollout", "--percent", "10"], ["rollback"], ["rollout", "--retry"]] {
            let rest = Array(command.dropFirst())
            let channel = try await scene.tool.run([command[0], "shop", "--channel", "betta"] + rest)
            expectClearError(channel, naming: ["there is no channel betta (there is: beta)"])
            let package = try await scene.tool.run([command[0], "shpo", "--channel", "beta"] + rest)
            expectClearError(package, naming: ["beta never offered anything of shpo (it has: shop)"])
        }
        let promote = try await scene.tool.run("promote", "shop", "--from", "betta", "--to", "stable")
        expectClearError(promote, naming: ["there is no channel betta (there is: beta)"])
        let inspect = try await scene.tool.run("inspect", "shop@7.0.0")
        expectClearError(inspect, naming: ["shop@7.0.0 (there is: 1.0.0)"])
    }

    @Test func `a name or a file that is taken as it is, and helps nobody, is told of`() async throws {
        let scene = try await AttackScene()
        let explain = try await scene.tool.run("explain", "shop@1.0.0", "--channel", "beta")
        #expect(explain.exitCode == 64, "\(explain)")
        #expect(explain.standardError.contains("this command takes the package alone, shop;"), "\(explain)")
        let token = try await scene.tool.run("token", "create", "ci", "--channel", "betta", "--package", "shpo")
        #expect(token.exitCode == 0 && token.standardOutput.hasPrefix("ptk_"), "\(token)")
        #expect(token.standardError.contains("warning: nothing was ever offered on betta (there is: beta)"), "\(token)")
        #expect(
            token.standardError.contains("warning: nothing was ever published of shpo (there is: shop)"), "\(token)")
        let simulate = try await scene.tool.run("simulate", "shop", "--channel", "beta", "--population", "none.json")
        expectClearError(simulate, naming: ["there is no population none.json that can be read"])
        try scene.tool.write(["root.json": "{}"])
        let device = ["client", "update", "--store", "new", "--registry", ".packtool/registry", "--channel", "beta"]
        expectClearError(
            try await scene.tool.run(device + ["--root", "root.json"]), naming: ["root.json is no root of trust"])
    }

    @Test func `a failure with --json is one document on stdout, with the same exit code`() async throws {
        let tool = try Tool()
        for (arguments, kind, code) in [
            (["status", "--registry", "nowhere"], "notFound", 1), (["status", "--no-such"], "usage", 64),
            (["biuld"], "usage", 64), (["inspect", "missing.zip"], "failed", 1),
            (["token", "list", "--registry", "http://127.0.0.1:1"], "unreachable", 1),
            (["publish"], "failed", 1),
        ] {
            let outcome = try await tool.run(arguments + ["--json"])
            let json = try outcome.json().object()
            #expect(try outcome.exitCode == Int32(code) && json.integer("exitCode") == code, "\(outcome)")
            #expect(try json.object("error").string("kind") == kind, "\(arguments): \(outcome)")
            let detail = try json.object("error").string("detail")
            #expect(outcome.standardError.contains(detail), "\(outcome)")
        }
    }

    @Test func `a token that is none is not said to be revoked, and one of a known name is warned of`() async throws {
        let registry = try await LiveRegistry()
        let first = try await registry.tool.run("token", "create", "ann", "--release", "--json").json().object()
        let id = try first.string("id")
        let second = try await registry.tool.run("token", "create", "ann", "--release").expectSuccess()
        #expect(second.standardError.contains("warning: there is a token ann (\(id)) already"), "\(second)")
        expectClearError(
            try await registry.tool.run("token", "revoke", "ann"),
            naming: ["there is no token with the id ann, and nothing was revoked"])
        try await registry.tool.run("token", "revoke", id).expectSuccess()
        let again = try await registry.tool.run("token", "revoke", id)
        expectClearError(again, naming: ["nothing to do: the token \(id) was revoked before"], exitCode: 2)
        let third = try await registry.tool.run("token", "create", "bob", "--release").expectSuccess()
        #expect(!third.standardError.contains("warning"), "\(third)")
    }

    @Test func `a token with a line break at its end is taken`() async throws {
        let registry = try await LiveRegistry()
        let token = try await registry.token("--admin")
        let outcome = try await registry.tool.run(
            "token", "list", "--registry", registry.url, environment: ["PACKTOOL_TOKEN": "\(token)\r\n"])
        #expect(outcome.exitCode == 0, "\(outcome)")
    }

    @Test func `a token for some hours says until when it holds`() async throws {
        let registry = try await LiveRegistry()
        let made = try await registry.tool.run("token", "create", "job", "--hours", "2").expectSuccess()
        #expect(made.standardError.contains("holds until 20"), "\(made)")
        let listed = try await registry.tool.run("token", "list", "--json").json().object().array("tokens")
        let texts = try #require(try listed.first?.object())
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let life = try style.parse(texts.string("expires")).timeIntervalSince(style.parse(texts.string("created")))
        #expect(abs(life - 7_200) < 60)
        #expect(try await registry.tool.run("token", "create", "x", "--hours", "2", "--days", "1").exitCode == 64)
    }
}
