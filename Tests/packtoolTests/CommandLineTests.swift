import Foundation
import PackJSON
import Testing

/// What holds for every command: help, `--json`, exit codes, no colour and no progress where nobody can see it.
struct CommandLineTests {
    struct Command {
        let path: [String]
        let json: JSONObject

        var isLeaf: Bool { (try? json.array("subcommands"))?.isEmpty ?? true }

        func optionNames() throws -> Set<String> {
            let arguments = (try? json.array("arguments")) ?? []
            return Set(
                try arguments.flatMap { argument -> [String] in
                    let names = try argument.object()["names"]?.array() ?? []
                    return try names.map { try $0.object().string("name") }
                })
        }
    }

    /// Every command there is, as the tool tells it.
    static func commands() async throws -> [Command] {
        let dump = try await Tool().run("--experimental-dump-help").json().object().object("command")
        func below(_ json: JSONObject, _ path: [String]) throws -> [Command] {
            let subcommands = try json["subcommands"]?.array() ?? []
            return try [Command(path: path, json: json)]
                + subcommands.flatMap { sub -> [Command] in
                    let sub = try sub.object()
                    let name = try sub.string("commandName")
                    // What is not shown is packtool's own to run.
                    let isShown = try sub["shouldDisplay"]?.bool() ?? true
                    return name == "help" || !isShown ? [] : try below(sub, path + [name])
                }
        }
        return try below(dump, [])
    }

    @Test func `every command says what it is for, and takes the options that all commands take`() async throws {
        let commands = try await Self.commands()
        #expect(commands.count > 1)
        for command in commands {
            let name = command.path.joined(separator: " ")
            let abstract = try command.json.string("abstract")
            #expect(abstract.hasSuffix("."), "\(name): \(abstract)")
            if command.isLeaf {
                #expect(try command.optionNames().isSuperset(of: ["json", "quiet", "verbose"]), "\(name)")
            }
            let arguments = try command.json["arguments"]?.array() ?? []
            for argument in try arguments.map({ try $0.object() }) {
                let help = try? argument.string("abstract")
                #expect(help?.isEmpty == false, "\(name): an option without help: \(argument)")
            }
        }
    }

    @Test func `the commands of the contract are all there`() async throws {
        let names = Set(try await Self.commands().map { $0.path.joined(separator: " ") })
        let contract = [
            "init", "build", "inspect", "verify", "diff", "publish", "import", "preset", "promote", "rollout",
            "rollback",
            "withdraw", "status", "serve", "preview", "token create", "token list", "token revoke", "keys generate",
            "keys list", "keys rotate", "keys revoke", "keys delegate", "audit", "client update", "client status",
            "client explain", "client confirm", "client rollback", "client repair", "client install", "client serve",
            "client gc", "release", "explain", "simulate", "gate", "rules", "channel", "group set", "group list",
            "group remove", "changes list", "changes show", "changes approve", "changes reject", "rollout set",
            "rollout start", "rollout pause", "rollout resume", "rollout advance", "rollout halt", "rollout complete",
            "rollout rollback", "rollout retry", "rollout status", "rollout run",
        ]
        #expect(contract.filter { !names.contains($0) } == [])
    }

    @Test func `help goes to stdout with code 0, a usage error to stderr with code 64`() async throws {
        let tool = try Tool()
        for command in try await Self.commands() {
            let help = try await tool.run(command.path + ["--help"])
            #expect(help.exitCode == 0 && help.standardOutput.contains("USAGE:"), "\(command.path): \(help)")
            let wrong = try await tool.run(command.path + ["--no-such-option"])
            #expect(wrong.exitCode == 64 && wrong.standardOutput.isEmpty, "\(command.path): \(wrong)")
            #expect(wrong.standardError.contains("Usage: packtool"), "\(wrong)")
        }
        #expect(
            try await tool.run("--version").standardOutput.wholeMatch(
                of:
                    /\d+\.\d+\.\d+\S* \((commit [0-9a-f]{12}\S* of [0-9-]{10}, (release|unoptimized)|(commit .*, )?debug) build for \S+\)\n/
            ) != nil)
        #expect(try tool.listing().isEmpty)
    }

    @Test func `completions for three shells are complete scripts`() async throws {
        let tool = try Tool()
        for shell in ["bash", "zsh", "fish"] {
            let script = try await tool.run("--generate-completion-script", shell)
            #expect(script.exitCode == 0 && script.standardOutput.contains("packtool"))
        }
        let script = try await tool.run("--generate-completion-script", "bash").standardOutput
        try tool.write(["completion.bash": script])
        #expect(try await tool.shell("bash -n completion.bash").exitCode == 0)
        /// What bash offers for the last of some words when somebody presses the tab key.
        func offered(_ words: String...) async throws -> Set<String> {
            let line = "packtool \(words.joined(separator: " "))"
            let outcome = try await tool.shell(
                """
                set +eu; source ./completion.bash
                COMP_WORDS=(\(line)); COMP_CWORD=\(words.count); COMP_LINE="\(line)"; COMP_POINT=${#COMP_LINE}
                _packtool packtool "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; printf '%s\\n' "${COMPREPLY[@]}"
                """)
            return Set(outcome.standardOutput.split(whereSeparator: \.isWhitespace).map(String.init))
        }
        #expect(
            try await offered("rollout", "''").isSuperset(of: [
                "set", "start", "pause", "resume", "advance", "halt", "complete", "rollback", "retry", "status", "run",
            ]))
        #expect(
            try await offered("rollout", "advance", "--").isSuperset(of: ["--step", "--channel", "--dry-run", "--yes"]))
        #expect(try await offered("simulate", "--").isSuperset(of: ["--plan", "--step", "--population", "--svg"]))
        #expect(try await offered("explain", "--").isSuperset(of: ["--device", "--platform", "--tag", "--at"]))
    }

    @Test func `a man page is made for every command`() async throws {
        let tool = try Tool()
        let script = Tool.project.appendingPathComponent("scripts/make-manual.py").path
        let made = try await tool.shell("/usr/bin/python3 '\(script)' '\(Tool.executable.path)' man")
        #expect(made.exitCode == 0, "\(made)")
        let pages = Set(try tool.listing("man").keys)
        let expected = try await Self.commands().map { (["packtool"] + $0.path).joined(separator: "-") + ".1" }
        #expect(pages == Set(expected))
        let page = String(decoding: try tool.read("man/packtool-rollout-set.1"), as: UTF8.self)
        for part in [".SH SYNOPSIS", "\\fB\\-\\-plan\\fR \\fIFILE\\fR", "\\fB\\-\\-dry\\-run\\fR"] {
            #expect(page.contains(part), "\(part): \(page)")
        }
    }
}
