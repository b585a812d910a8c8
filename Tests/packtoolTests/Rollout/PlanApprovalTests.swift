import Foundation
import PackJSON
import Testing

/// What people are told of plans and approvals before they decide.
struct PlanApprovalTests {
    @Test func `approvals for a channel that offers nothing are said to protect none, and twice is nothing to do`()
        async throws
    {
        let tool = try await RolloutCommandTests.project()
        let misspelt = try await tool.run("channel", "betta", "--approvals", "1").expectSuccess()
        #expect(
            misspelt.standardError.contains(
                "warning: nothing was ever offered on betta (there is: beta): did you mean beta?"), "\(misspelt)")
        let made = try await tool.run("channel", "beta", "--approvals", "1").expectSuccess()
        #expect(!made.standardError.contains("warning"), "\(made)")
        let again = try await tool.run("channel", "beta", "--approvals", "1")
        #expect(again.exitCode == 2, "\(again)")
        #expect(again.standardError.contains("nothing to do: beta requires 1 approval of a change already"), "\(again)")
    }

    private static let plan = """
        {
          "steps": [
            {"share": 10, "for": "4h", "gate": true}, {"share": 50, "for": "1d"}, {"share": 100}
          ],
          "start": "2030-01-07T10:00:00Z",
          "end": "2030-03-01T00:00:00Z",
          "hours": {"zone": "Europe/Berlin", "windows": [{"days": ["mon", "tue", "wed", "thu"], "from": "09:00", "to": "16:00"}]},
          "devices": 2000, "newDevicesPerHour": 600, "unknownHealth": "wait",
        }
        """

    private static let beta = ["--channel", "beta"]

    /// A plan is waiting as change 2, for iOS devices only.
    private static func proposed() async throws -> Tool {
        let tool = try await RolloutCommandTests.project()
        try tool.write(["plan.json": plan])
        try await tool.run(["channel", "beta", "--approvals", "1"]).expectSuccess()
        let made = try await tool.run(
            ["rollout", "shop"] + beta + ["--plan", "plan.json", "--audience", "platform=ios", "--propose", "--yes"])
        #expect(made.exitCode == 0 && made.standardError.contains("packtool changes approve 2"), "\(made)")
        return tool
    }

    @Test func `who approves a plan sees all of it, in the words of the dry run`() async throws {
        let tool = try await Self.proposed()
        let dry = try await tool.run(
            ["rollout", "shop"] + Self.beta + ["--plan", "plan.json", "--audience", "platform=ios", "--dry-run"]
        ).expectSuccess().standardOutput
        let lines = dry.split(separator: "\n").dropFirst()
        #expect(lines.count >= 11, "\(dry)")
        for command in [["changes", "show", "2"], ["changes"]] {
            let shown = try await tool.run(command).expectSuccess().standardOutput
            for line in lines where !line.contains("requires 1 approval") {
                #expect(shown.contains("  \(line)\n"), "\(line): \(shown)")
            }
            for part in [
                "1     10 %   4h   200      expected Mon 2030-01-07 11:00:00",
                "halts above +0.5, goes on below +3 of 200, silent after 1d",
                "for platform=ios: the shares are of these devices", "numbers of devices are of 2,000",
                "starts at Mon 2030-01-07 11:00:00", "no step is taken from Fri 2030-03-01 01:00:00 on",
                "steps are taken mon-thu 09:00-16:00 only, on the clock of Europe/Berlin",
                "at most 600 new devices an hour: shares grow by 30 % an hour at most",
                "a step without a gate waits for packtool rollout advance", "times are of Europe/Berlin",
            ] { #expect(shown.contains(part), "\(part): \(shown)") }
        }
        let json = try await tool.run("changes", "show", "2", "--json").json().object()
        let status = try json.object("preview").object("status")
        #expect(try status.object("plan").object("hours").string("zone") == "Europe/Berlin")
        #expect(
            try status.array("steps")[0].object().string("expected").hasPrefix("2030-01-07T10:00:00"), "\(status)")
        // What is over still says what was to be done; there are no dates any more.
        try await tool.run("changes", "reject", "2", "--reason", "not now").expectSuccess()
        let over = try await tool.run("changes", "show", "2").expectSuccess().standardOutput
        for part in ["2     50 %   1d   1,000", "steps are taken mon-thu", "for platform=ios", "rejected"] {
            #expect(over.contains(part), "\(part): \(over)")
        }
        #expect(!over.contains("expected "), "\(over)")
    }

    @Test func `who approves a word for a plan sees the plan too`() async throws {
        let tool = try await RolloutCommandTests.project()
        try tool.write(["plan.json": Self.plan])
        try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run(["rollout", "pause", "shop"] + Self.beta).expectSuccess()
        try await tool.run(["channel", "beta", "--approvals", "1"]).expectSuccess()
        try await tool.run(["rollout", "resume", "shop"] + Self.beta + ["--propose"]).expectSuccess()
        let shown = try await tool.run("changes", "show", "2").expectSuccess().standardOutput
        for part in [
            "if it is made now:", "next: 10 % at Mon 2030-01-07 11:00:00", "3     100 %  -    2,000",
            "steps are taken mon-thu 09:00-16:00 only",
        ] { #expect(shown.contains(part), "\(part): \(shown)") }
        // What cannot be made any more says so before somebody approves it.
        try await tool.run(["rollout", "advance", "shop"] + Self.beta + ["--propose", "--yes"]).expectSuccess()
        try await tool.run(["rollout", "halt", "shop"] + Self.beta + ["--reason", "orders are lost"]).expectSuccess()
        let halted = try await tool.run("changes", "show", "3").expectSuccess().standardOutput
        #expect(
            halted.contains("it cannot be made as it is: shop 1.1.0 on beta is halted and cannot advance"), "\(halted)")
        #expect(halted.contains("orders are lost"), "\(halted)")
    }

    @Test func `a dry run says that approval is needed, and how it is asked for`() async throws {
        let tool = try await RolloutCommandTests.project("1.0.0", "1.1.0", "1.2.0")
        try await tool.run(["rollout", "shop@1.2.0"] + Self.beta + ["--percent", "50"]).expectSuccess()
        try tool.write(["plan.json": #"{"steps": [{"share": 60, "for": "1d"}, {"share": 100}]}"#])
        try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run(["channel", "beta", "--approvals", "1"]).expectSuccess()
        let needed = "beta requires 1 approval of a change: propose it with --propose"
        let proposed =
            "beta requires 1 approval of a change: it would be proposed, and made once somebody else approves it"
        let commands: [[String]] = [
            ["rollback", "shop"], ["rollback", "shop", "--to", "embedded"], ["rollout", "rollback", "shop"],
            ["rollout", "complete", "shop"], ["rollout", "shop", "--percent", "70"],
            ["rollout", "shop", "--gate"], ["publish", "packages/shop-1.2.0.zip", "--rollout", "90"],
            ["release", "shop@1.2.0", "--rollout", "90"],
        ]
        for command in commands {
            let dry = try await tool.run(command + Self.beta + ["--dry-run"]).expectSuccess()
            #expect(dry.standardOutput.contains(needed), "\(command): \(dry)")
            let propose = try await tool.run(command + Self.beta + ["--propose", "--dry-run"]).expectSuccess()
            #expect(propose.standardOutput.contains(proposed), "\(command): \(propose)")
        }
        let json = try await tool.run(["rollback", "shop"] + Self.beta + ["--dry-run", "--json"]).json().object()
        #expect(try json.integer("approvals") == 1)
        let urgent = try await tool.run(
            ["rollback", "shop"] + Self.beta + ["--emergency", "--reason", "it fails", "--dry-run"]
        ).expectSuccess()
        #expect(urgent.standardOutput.contains("in an emergency it is made without"), "\(urgent)")
        // What only stops something needs none.
        let halt = try await tool.run(["rollout", "halt", "shop"] + Self.beta + ["--dry-run"]).expectSuccess()
        #expect(!halt.standardOutput.contains("approval"), "\(halt)")
    }

    @Test func `status says which channels require approvals, who went back, and why`() async throws {
        let tool = try await RolloutCommandTests.project()
        try tool.write(["plan.json": #"{"steps": [{"share": 60, "for": "1d"}, {"share": 100}]}"#])
        #expect(try await !tool.run("status").standardOutput.contains("approval"))
        try await tool.run(["rollout", "shop"] + Self.beta + ["--plan", "plan.json", "--yes"]).expectSuccess()
        try await tool.run(
            ["rollout", "rollback", "shop"] + Self.beta + ["--reason", "orders are lost", "--yes"]
        ).expectSuccess()
        try await tool.run(["channel", "beta", "--approvals", "2"]).expectSuccess()
        let text = try await tool.run("status").expectSuccess().standardOutput
        #expect(text.contains("beta requires 2 approvals of a change"), "\(text)")
        #expect(text.contains("beta went back from shop 1.1.0 to 1.0.0, "), "\(text)")
        #expect(text.contains(": orders are lost"), "\(text)")
        #expect(!text.contains("proposed change"), "\(text)")
        try await tool.run(["channel", "beta", "--poll", "15m", "--propose"]).expectSuccess()
        let open = try await tool.run("status").standardOutput
        #expect(open.contains("1 proposed change is open: packtool changes"), "\(open)")
        let json = try await tool.run("status", "--json").json().object()
        #expect(try json.object("approvals").integer("beta") == 2 && json.integer("openChanges") == 1)
        let way = try json.object("rollbacks").object("beta").object("shop")
        #expect(try way.string("reason") == "orders are lost" && way.string("to") == "1.0.0")
        let plan = try await tool.run("rollout", "status", "shop").standardOutput
        #expect(plan.contains("the release was taken back: orders are lost"), "\(plan)")
        // The next version ends it.
        try await tool.run(["channel", "beta", "--approvals", "0", "--emergency", "--reason", "a test"]).expectSuccess()
        try await tool.run(
            ["publish", "packages/shop-1.1.0.zip", "--no-wait", "--again"] + Self.beta
        ).expectSuccess()
        #expect(try await !tool.run("status").standardOutput.contains("went back"))
        // The quick way back has its reason too.
        try await tool.run(
            ["rollback", "shop"] + Self.beta + ["--emergency", "--reason", "it does not start"]
        ).expectSuccess()
        #expect(try await tool.run("status").standardOutput.contains(": it does not start"))
    }
}
