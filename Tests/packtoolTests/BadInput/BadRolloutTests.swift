import Foundation
import PackJSON
import Testing

/// Bad input about rollouts: an error with its place and reason, and neither a row nor a file of the registry changes.
struct BadRolloutTests {
    @Test func `windows, steps, zones, facts, plans and groups that cannot be are refused, and nothing is changed`()
        async throws
    {
        let tool = try await RolloutCommandTests.project()
        let window = #"{"days": ["mon"], "from": "09:00", "to": "12:00"}"#
        func plan(_ rest: String) -> String { "{\n\"steps\": [{\"share\": 5}],\n\(rest)}" }
        try tool.write([
            "overlap.json": plan(
                #""hours": {"zone": "UTC", "windows": [\#(window), {"days": ["mon"], "from": "11:00", "to": "13:00"}]}"#
            ),
            "zone.json": plan(#""hours": {"zone": "Mars/Olympus", "windows": [\#(window)]}"#),
            "shrink.json": #"{"steps": [{"share": 10, "for": "1h"}, {"share": 5}]}"#,
            "large.json": "{\"steps\": [\(String(repeating: "{\"share\": 1, \"for\": \"1h\"},\n", count: 45_000))]}",
            "many.txt": (0..<100_000).map { "device-\($0)" }.joined(separator: "\n"),
        ])
        let at = ["--channel", "beta"]
        let rollout = ["rollout", "shop"] + at
        let commands: [([String], [String])] = [
            (
                rollout + ["--plan", "overlap.json", "--yes"],
                ["overlap.json:3:", "hours.windows[1]", "overlaps windows[0]"]
            ),
            (rollout + ["--plan", "zone.json", "--yes"], ["zone.json:3:", "hours.zone", "Mars/Olympus"]),
            (rollout + ["--plan", "shrink.json", "--yes"], ["shrink.json:1:", "steps[1].share", "only grows"]),
            (rollout + ["--plan", "large.json", "--yes"], ["large.json", "262144 at most"]),
            (rollout + ["--audience", "group=nobody", "--yes"], ["beta has no group \"nobody\""]),
            (["group", "set", "crowd", "--file", "many.txt"] + at, ["many.txt", "100,000 devices", "at most 50,000"]),
        ]
        func state() async throws -> String {
            let audit = try await tool.run("audit", "--json").standardOutput
            return try audit + tool.listing(".packtool/registry/view").keys.sorted().joined()
        }
        let before = try await state()
        for (command, parts) in commands { expectClearError(try await tool.run(command), naming: parts) }
        for (audience, reason) in [
            ("color=red", "there is no condition \"color\""), ("network=5g", "unmetered or metered"),
            ("app>=new", "is not a range of versions"), ("platform", "compares nothing"),
        ] {
            let refused = try await tool.run(rollout + ["--audience", audience, "--yes"])
            #expect(refused.exitCode == 64 && refused.standardError.contains(reason), "\(refused)")
        }
        #expect(try await state() == before)
    }
}
