import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI

/// What who approves a change reads: all of its content, and in place of what.
struct ApprovalEffectTests {
    /// What proposals say that they would do, on beta with checkout 1.0.0 for everybody.
    private static func effect(_ action: ProposedAction, _ shop: Shop) async throws -> [String] {
        let change = try await shop.registry.propose(ChangeProposal(action, on: channel())).change
        #expect(change.state == .waiting)
        return change.effect
    }

    private static func shop(_ kind: RegistryKind) async throws -> Shop {
        let shop = try await kind.shop()
        try await shop.publisher().publish([try shop.page("1.0.0").zip])
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        return shop
    }

    private static func requireApproval(_ shop: Shop) async throws {
        _ = try await shop.registry.propose(ChangeProposal(.approvals(1), on: channel()))
    }

    @Test(arguments: RegistryKind.allCases)
    func `rules, intervals and groups are shown with their content and what was before`(kind: RegistryKind) async throws
    {
        let shop = try await Self.shop(kind)
        func group(_ count: Int) throws -> DeviceGroup {
            let salt = String(repeating: "0a", count: 16)
            return try DeviceGroup(
                name: "testers", salt: salt,
                devices: Set((0..<count).map { DeviceGroup.hash(of: "device-\($0)", salt: salt) }))
        }
        let old = #"{"format": 1, "rules": [{"name": "ads", "action": "deny", "host": "ads.example"}]}"#
        _ = try await shop.registry.change(.rules(WebRules(parsing: Data(old.utf8))), on: channel())
        _ = try await shop.registry.change(.group(group(4)), on: channel())
        try await Self.requireApproval(shop)
        let new =
            #"{"format": 1, "rules": [{"name": "films", "action": "online", "minimumSize": 5000000}, "#
            + #"{"name": "ads", "action": "deny", "host": "*.ads.example"}]}"#
        let rules = try await Self.effect(.setting(.rules(WebRules(parsing: Data(new.utf8)))), shop)
        #expect(
            rules == [
                "beta: 2 web rules in place of 1 web rule",
                #"rule 1: {"action":"online","minimumSize":5000000,"name":"films"}"#,
                #"rule 2: {"action":"deny","host":"*.ads.example","name":"ads"}"#,
                #"before, rule 1: {"action":"deny","host":"ads.example","name":"ads"}"#,
            ])
        let poll = try await Self.effect(.setting(.poll(ChannelPoll(seconds: 900, jitter: 120))), shop)
        #expect(poll == ["beta: devices look every 15 min, up to 2 min later (before: as often as their apps have it)"])
        #expect(
            try await Self.effect(.setting(.group(group(1))), shop)
                == ["beta: the group testers has 1 device in place of 4"])
        #expect(
            try await Self.effect(.setting(.removeGroup("testers")), shop)
                == ["beta: the group testers of 4 devices is removed"])
        let list = try await shop.registry.changes(.open).changes.map(\.proposal.action.summary)
        #expect(list.contains("set the group testers of 1 device"))
        #expect(list.contains("let devices look every 15 min, up to 2 min later"))
    }

    @Test(arguments: RegistryKind.allCases)
    func `a policy and another try are on their side of in place of`(kind: RegistryKind) async throws {
        let shop = try await Self.shop(kind)
        try await Self.requireApproval(shop)
        let mandatory = try ClientPolicy(isMandatory: true)
        #expect(
            try await Self.effect(.release(.setRollout(nil, policy: mandatory), of: package()), shop)
                == ["checkout on beta: 1.0.0 [mandatory] in place of 1.0.0"])
        #expect(
            try await Self.effect(.release(.retry(), of: package()), shop)
                == ["checkout on beta: 1.0.0 [retried 1 time] in place of 1.0.0"])
    }
}
