import Foundation
import PackJSON
import Testing

/// Bad input about rollouts: an error with its place and reason, and neither a row nor a file changes.
struct BadRolloutTests {
    private static let window = #"{"days": ["mon"], "from": "09:00", "to": "12:00"}"#

    private static func hours(_ zone: String, _ windows: String...) -> String {
        #""hours": {"zone": "\#(zone)", "windows": [\#(windows.joined(separator: ", "))]}"#
    }

    /// Files whose commands have to fail.
    private static let files: [String: String] = {
        func plan(_ rest: String) -> String { "{\n\"steps\": [{\"share\": 5}],\n\(rest)}" }
        return [
            "overlap.json": plan(hours("UTC", window, #"{"days": ["sun", "mon"], "from": "11:00", "to": "13:00"}"#)),
            "zone.json": plan(hours("Mars/Olympus", window)), "abbreviation.json": plan(hours("CET", window)),
            "shrink.json": #"{"steps": [{"share": 10, "for": "1h"}, {"share": 5}]}"#,
            "same.json": "{\"steps\": [{\"share\": 10, \"for\": \"1h\"},\n{\"share\": 10}]}",
            // More than a megabyte.
            "large.json": "{\"steps\": [\(String(repeating: "{\"share\": 1, \"for\": \"1h\"},\n", count: 45_000))]}",
            "many.txt": (0..<100_000).map { "device-\($0)" }.joined(separator: "\n"),
        ]
    }()

    private static let plans: [(file: String, message: String)] = [
        ("overlap.json", "error: overlap.json:3:1: hours.windows[1]: it overlaps windows[0]\n"),
        (
            "zone.json",
            "error: zone.json:3:1: hours.zone: \"Mars/Olympus\" is not known: a time zone is UTC or a name such as Europe/Berlin (IANA)\n"
        ),
        (
            "abbreviation.json",
            "error: abbreviation.json:3:1: hours.zone: \"CET\" is not known: a time zone is UTC or a name such as Europe/Berlin (IANA)\n"
        ),
        (
            "shrink.json",
            "error: shrink.json:1:41: steps[1].share: 5 % is not more than the 10 % of the step before: a plan only grows\n"
        ),
        (
            "same.json",
            "error: same.json:2:2: steps[1].share: 10 % is not more than the 10 % of the step before: a plan only grows\n"
        ),
        ("large.json", "error: large.json: it has 1215013 bytes, and a plan has 262144 at most\n"),
    ]

    /// Conditions on facts that no device has, or with values that none can have.
    private static let audiences = [
        ("color=red", "\"color=red\" is not an audience: there is no condition \"color\""),
        ("platform=ios; moon=full", "there is no condition \"moon\""),
        ("network=5g", "a network is unmetered or metered"), ("app>=new", "is not a range of versions"),
        ("platform", "\"platform\" compares nothing"),
    ]

    @Test func `plans and groups that cannot be are refused with place and reason, and nothing is changed`()
        async throws
    {
        let tool = try await RolloutCommandTests.project()
        try tool.write(Self.files)
        let before = try tool.content()
        let at = ["--channel", "beta"]
        for (file, message) in Self.plans {
            for option in ["--yes", "--dry-run"] {
                let refused = try await tool.run(["rollout", "shop"] + at + ["--plan", file, option])
                expectClearError(refused, naming: [])
                #expect(refused.standardError == message)
            }
        }
        let crowd = try await tool.run(["group", "set", "crowd", "--file", "many.txt"] + at)
        expectClearError(crowd, naming: [])
        #expect(
            crowd.standardError
                == "error: many.txt: the group \"crowd\" is not valid: it has 100,000 devices and a group has at most 50,000, "
                + "because devices fetch all of it: give those devices a tag (tag.NAME=VALUE)\n")
        let nobody = try await tool.run(["rollout", "shop"] + at + ["--audience", "group=nobody", "--yes"])
        expectClearError(nobody, naming: ["beta has no group \"nobody\"", "packtool group set nobody --channel beta"])
        let after = try tool.content()
        #expect(after.filter { before[$0.key] != $0.value }.keys.sorted() == [] && after.count == before.count)
    }

    @Test func `conditions on facts that are not known are refused by each command that takes them`() async throws {
        let tool = try await RolloutCommandTests.project()
        try tool.write(["plan.json": #"{"steps": [{"share": 5}]}"#])
        let before = try tool.content()
        let commands = [
            ["publish", "packages/shop-1.1.0.zip"], ["release", "shop@1.1.0"], ["promote", "shop", "--from", "beta"],
            ["rollout", "shop"], ["rollout", "shop", "--plan", "plan.json"],
        ]
        for command in commands {
            let channel = command[0] == "promote" ? "--to" : "--channel"
            for (audience, reason) in Self.audiences {
                let refused = try await tool.run(command + [channel, "beta", "--yes", "--audience", audience])
                #expect(refused.exitCode == 64 && refused.standardError.contains("--audience"), "\(refused)")
                #expect(refused.standardError.contains(reason), "\(refused)")
            }
        }
        #expect(try tool.content() == before)
    }

    /// A command reads its input before it sends anything; another client does not.
    @Test func `a server refuses what no command sends, with place and reason, and nothing is changed`() async throws {
        let live = try await LiveRegistry()
        for version in ["1.0.0", "1.1.0"] {
            try await live.publish("shop", version, files: ["index.html": "<p>\(version)</p>"])
        }
        let token = try await live.token("--release", "--channel", "beta")
        /// All that devices and people see; the server makes patches and downloads meanwhile.
        func state() async throws -> String {
            let log = try await live.tool.run("audit", "--limit", "1000", "--json", "--registry", live.folder)
            let view = try live.tool.listing(".packtool/registry/view").filter {
                $0.key.hasPrefix("metadata/") || $0.key.hasPrefix("targets/")
            }
            let files = view.map { "\($0.key) \($0.value.base64EncodedString())" }
            return log.standardOutput + files.sorted().joined(separator: "\n")
        }
        let before = try await state()
        for (index, request) in Self.requests.enumerated() {
            try live.tool.write(["body-\(index).json": request.body])
            let answer = try await live.tool.shell(
                """
                curl -s -X POST -H 'Authorization: Bearer \(token)' -H 'Content-Type: application/json' \
                --data-binary @body-\(index).json '\(live.url)\(request.path)'
                """)
            let problem = try answer.json().object()
            let (status, detail) = try (problem.integer("status"), problem.string("detail"))
            #expect(status == request.status && detail == request.detail, "\(request.path): \(answer)")
        }
        #expect(try await state() == before)
    }

    private static let requests: [(path: String, body: String, status: Int, detail: String)] = {
        let package = "/v1/channels/beta/packages/shop"
        func plan(_ plan: String) -> String { "{\"verb\": \"plan\", \"plan\": {\(plan)}}" }
        func group(_ count: Int) -> String {
            let hashes = (0..<count).map { "\(1_000_000 + $0)\(String(repeating: "0", count: 25))" }.joined()
            let salt = String(repeating: "0", count: 32)
            return """
                {"setting": "group", "group": {"format": 1, "name": "crowd", "salt": "\(salt)", "hashes": "\(hashes)"}}
                """
        }
        let moon = #"[[{"kind": "platform", "in": ["ios"]}, {"kind": "moon", "phase": 3}]]"#
        let unknown =
            "the request body is not valid: \"audiences[0][1]\" must be a condition that this registry knows, not "
            + #"{"kind":"moon","phase":3}"#
        return [
            (
                package + "/rollout",
                plan(
                    #""steps": [{"share": 5}], "#
                        + hours("UTC", window, #"{"days": ["mon"], "from": "11:00", "to": "13:00"}"#)),
                422, "the plan is not valid: hours.windows[1]: it overlaps windows[0]"
            ),
            (
                package + "/rollout", plan(#""steps": [{"share": 10, "for": "1h"}, {"share": 5}]"#), 422,
                "the plan is not valid: steps[1].share: 5 % is not more than the 10 % of the step before: a plan only grows"
            ),
            (
                package + "/rollout", plan(#""steps": [{"share": 5}], "# + hours("Mars/Olympus", window)), 422,
                "the plan is not valid: hours.zone: \"Mars/Olympus\" is not known: a time zone is UTC or a name such as "
                    + "Europe/Berlin (IANA)"
            ),
            (
                package + "/rollout",
                plan(
                    "\"steps\": [\(Array(repeating: "{\"share\":1,\"for\":\"1h\"}", count: 45_000).joined(separator: ","))]"
                ), 400,
                "the request body is not valid: line 1, column 76673: it has more than 10000 values"
            ),
            (
                "/v1/channels/beta/settings", group(60_000), 400,
                "the group \"crowd\" is not valid: it has 60,000 devices and a group has at most 50,000, because devices fetch "
                    + "all of it: give those devices a tag (tag.NAME=VALUE)"
            ),
            (
                "/v1/channels/beta/settings", group(100_000), 400,
                "the group \"?\" is not valid: its file is larger than 2097152 bytes"
            ),
            (package, "{\"change\": \"percent\", \"audiences\": \(moon)}", 400, unknown),
            (package, "{\"change\": \"offer\", \"version\": \"1.0.0\", \"audiences\": \(moon)}", 400, unknown),
            ("/v1/channels/beta/sets", "{\"packages\": {\"shop\": \"1.1.0\"}, \"audiences\": \(moon)}", 400, unknown),
            (
                package + "/rollout",
                "{\"verb\": \"plan\", \"plan\": {\"steps\": [{\"share\": 5}]}, \"audiences\": \(moon)}", 400,
                unknown
            ),
        ]
    }()
}
