import Foundation
import PackFormat
import Testing

@testable import PackDashboard
@testable import PackRegistryAPI

/// Rollouts with a plan in the dashboard of a real server.
struct DashboardRolloutTests {
    private static let page = "/dashboard/channels/beta/packages/checkout"

    private static func plan(_ text: String) throws -> RolloutPlan {
        try RolloutPlan(parsing: Array(text.utf8), named: "plan")
    }

    /// A registry that offers checkout 1.1.0 by a plan of 10, 50 and 100 %, at its first step.
    private static func with(
        _ body: @escaping @Sendable (Shop, DashboardTests.Visitor) async throws -> Void
    ) async throws {
        try await DashboardTests.with { (shop, visitor) async throws in
            _ = try await shop.registry.change(
                .setRollout(Share.none, of: version("1.1.0")), of: package(), on: channel())
            let steps =
                #"{"steps": [{"share": 10, "for": "1d"}, {"share": 50, "for": "1d"}, {"share": 100}], "devices": 2000}"#
            _ = try await shop.registry.rollout(
                RolloutRequest(.plan(plan(steps)), of: version("1.1.0")), of: package(), on: channel())
            try await body(shop, visitor)
        }
    }

    private static func verb(_ word: DashboardVerb.Word) throws -> DashboardVerb {
        try .rollout(word, package(), channel(), version("1.1.0"))
    }

    @Test func `a halted rollout is neither advanced nor completed, and the page says why`() async throws {
        try await Self.with { (shop, visitor) async throws in
            #expect(try await visitor.open("/").text.contains("rollout of 1.1.0: "))
            let before = try await visitor.open(Self.page).text
            #expect(before.contains("Complete 1.1.0") && before.contains("Advance 1.1.0"))
            _ = try await shop.registry.rollout(
                RolloutRequest(.halt, reason: "orders are lost"), of: package(), on: channel())
            let halted = try await visitor.open(Self.page).text
            #expect(halted.contains("Resume 1.1.0") && halted.contains("orders are lost"))
            #expect(!halted.contains("Complete 1.1.0") && !halted.contains("Advance 1.1.0"))
            // A page that somebody had open.
            for word in [DashboardVerb.Word.complete, .advance] {
                let page = try await visitor.open(DashboardPath.verb(Self.verb(word)).text)
                #expect(page.status == 409 && page.text.contains("orders are lost"), "\(page.text)")
                #expect(page.text.contains("packtool rollout resume comes first"), "\(page.text)")
            }
            let more = try DashboardVerb.share(Share(percent: 80), package(), channel(), version("1.1.0"))
            let share = try await visitor.open(DashboardPath.verb(more).text)
            #expect(share.text.contains("It is halted: resume it before it goes to more devices"), "\(share.text)")
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])
        }
    }

    @Test func `advance takes the next step above a share that somebody set`() async throws {
        try await Self.with { (shop, visitor) async throws in
            _ = try await shop.registry.change(
                .setRollout(Share(percent: 30), of: version("1.1.0")), of: package(), on: channel())
            let page = try await visitor.open(DashboardPath.verb(Self.verb(.advance)).text)
            #expect(page.text.contains("The share goes from 30 % to 50 %."), "\(page.text)")
            #expect(try await visitor.perform(Self.verb(.advance)).status == 303)
            #expect(try await shop.releases() == ["1.1.0@50", "1.0.0@100"])
        }
    }

    @Test func `what only stops something is not said to be proposed, for it is done at once`() async throws {
        try await Self.with { (shop, visitor) async throws in
            _ = try await shop.registry.propose(ChangeProposal(.approvals(1), on: channel()))
            for verb in try [Self.verb(.halt), .gate(package(), channel(), isOn: false)] {
                let page = try await visitor.open(DashboardPath.verb(verb).text).text
                #expect(!page.contains("Propose: ") && !page.contains("requires 1 approval"), "\(page)")
            }
            let page = try await visitor.open(DashboardPath.verb(Self.verb(.advance)).text).text
            #expect(page.contains("Propose: ") && page.contains("requires 1 approval"), "\(page)")
            #expect(try await visitor.perform(Self.verb(.halt)).status == 303)
            #expect(try await shop.registry.rollouts(of: package()).first?.state == .halted)
        }
    }

    @Test func `an emergency takes devices back at once, with a reason, and everybody sees it`() async throws {
        try await Self.with { (shop, visitor) async throws in
            _ = try await shop.registry.propose(ChangeProposal(.approvals(1), on: channel()))
            let back = try DashboardVerb.rollBack(package(), channel(), to: nil)
            for verb in try [back, Self.verb(.rollback), .rollBackToEmbedded(package(), channel())] {
                let page = try await visitor.open(DashboardPath.verb(verb).text).text
                #expect(page.contains("Propose: ") && page.contains(#"name="emergency""#), "\(page)")
                #expect(page.contains("In an emergency nobody is asked"), "\(page)")
            }
            // What is no way back is refused, whatever the form says.
            let advance = try await visitor.open(DashboardPath.verb(Self.verb(.advance)).text).text
            #expect(!advance.contains("mergency"), "\(advance)")
            let refused = try await visitor.perform(Self.verb(.advance)) {
                $0["emergency"] = "yes"
                $0["reason"] = "I want it"
            }
            #expect(refused.status == 409 && refused.text.contains("an emergency is for a rollback"), "\(refused.text)")

            for reason in ["", "  "] {
                let refused = try await visitor.perform(back) {
                    $0["emergency"] = "yes"
                    $0["reason"] = reason
                }
                #expect(
                    refused.status == 400 && refused.text.contains("an emergency needs a reason"), "\(refused.text)")
                #expect(refused.text.contains(#"name="emergency""#), "\(refused.text)")
            }
            // A page that was opened before approvals were required, or after.
            let meanwhile = try await visitor.perform(back) {
                $0["seen"] = String($0["seen"]?.dropLast() ?? "") + "0"
                $0["emergency"] = "yes"
                $0["reason"] = "orders are lost"
            }
            #expect(
                meanwhile.status == 409 && meanwhile.text.contains("It changed since you looked"), "\(meanwhile.text)")
            #expect(try await shop.releases() == ["1.1.0@10", "1.0.0@100"])

            let answer = try await visitor.perform(back) {
                $0["emergency"] = "yes"
                $0["reason"] = "orders are lost"
            }
            #expect(answer.status == 303, "\(answer.text)")
            let after = try await visitor.open(Self.page).text
            #expect(after.contains("Done: change 2 is made"), "\(after)")
            #expect(try await shop.releases() == ["1.0.0@100"])
            let change = try await visitor.open(DashboardPath.change(2).text).text
            #expect(change.contains("in an emergency") && change.contains("orders are lost"), "\(change)")
            let audit = try await visitor.open(DashboardPath.audit(page: 1).text).text
            #expect(audit.contains("an emergency") && audit.contains("orders are lost"), "\(audit)")
        }
    }

    @Test func `a change that waits shows the plan that it is about`() async throws {
        try await Self.with { (shop, visitor) async throws in
            _ = try await shop.registry.propose(ChangeProposal(.approvals(1), on: channel()))
            let later = try Self.plan(
                #"""
                {"steps": [{"share": 20, "for": "2h", "gate": true}, {"share": 100}], "devices": 2000, "newDevicesPerHour": 600,
                 "hours": {"zone": "Europe/Berlin", "windows": [{"days": ["mon", "tue", "wed"], "from": "09:00", "to": "16:00"}]}}
                """#)
            let change = try await shop.registry.propose(
                ChangeProposal(
                    .rollout(RolloutRequest(.plan(later), of: version("1.1.0")), of: package()), on: channel())
            ).change
            let parts = [
                "for all devices, of which the shares are", "numbers of devices are of 2,000",
                "steps are taken mon-wed 09:00-16:00 only, on the clock of Europe/Berlin",
                "at most 600 new devices an hour", "halts above +0.5", "expected ",
            ]
            let page = try await visitor.open(DashboardPath.change(change.id).text).text
            for part in parts + ["Steps of the plan", "20 %"] { #expect(page.contains(part), "\(part): \(page)") }
            // And on the page on which it is approved.
            let approve = try await visitor.open(DashboardPath.verb(.approve(change.id)).text).text
            for part in parts + ["share 20 %, for 2h, devices 400"] {
                #expect(approve.contains(part), "\(part): \(approve)")
            }
        }
    }
}
