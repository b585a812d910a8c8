import Foundation
import PackFormat
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// A rollout in memory: events, a clock, and the rule. No registry.
private struct MemoryRollout {
    var events: [RolloutEvent]
    var now = Date(timeIntervalSince1970: 1_795_000_000)
    var newer: String?

    init(_ plan: String, share: Share = .none) throws {
        let plan = try RolloutPlan(parsing: Array(plan.utf8), named: "plan")
        events = [
            RolloutEvent(.share(share), time: now, actor: "ann"), RolloutEvent(.plan(plan), time: now, actor: "ann"),
        ]
    }

    var state: RolloutState { RolloutState(events)! }

    var planned: PlannedRelease {
        get throws {
            try PlannedRelease(
                package: PackageID("shop"), channel: ChannelName("beta"), release: "1-0",
                version: SemanticVersion("1.1.0"),
                events: events,
                newer: newer.map {
                    PlannedRelease.Member(
                        package: try PackageID("shop"), release: "2-0", version: try SemanticVersion($0))
                })
        }
    }

    private mutating func add(_ kind: RolloutEvent.Kind, _ actor: String) {
        events.append(RolloutEvent(kind, time: now, actor: actor))
    }

    mutating func set(_ share: Share) { add(.share(share), "ann") }

    /// What the runner would do; it is done.
    @discardableResult
    mutating func look(_ health: RolloutHealth = .unknown) -> String {
        switch RolloutRule(state, newer: newer, health: health, now: now).next {
        case .take(let share, let action, let completes, let reason):
            add(.share(share), "system:rollout")
            add(.action(action, reason: reason), "system:rollout")
            if completes { add(.action(.complete, reason: reason), "system:rollout") }
            return "\(action.rawValue) \(share)"
        case .record(let action, let reason):
            add(.action(action, reason: reason), "system:rollout")
            return "\(action.rawValue): \(reason)"
        case .watch(_, let reason): return reason
        case .wait(let date, _, let reason):
            return date.map { "wait \(Int($0.timeIntervalSince(now)))" } ?? reason
        }
    }

    mutating func say(_ verb: RolloutRequest.Verb) throws -> String {
        let result = try RolloutVerbRule(planned, state, now: now).result(of: verb)
        if let unchanged = result.unchanged { return unchanged }
        if let share = result.share { add(.share(share), "ann") }
        for action in result.actions { add(.action(action, reason: "said"), "ann") }
        return "\(state.state.rawValue) \(state.share)"
    }
}

struct RolloutRuleTests {
    private static let plan =
        "{\"steps\": [{\"share\": 1, \"for\": \"4h\"}, {\"share\": 10, \"for\": \"1d\"}, {\"share\": 100}]}"

    @Test func `steps are taken one after the other, each for its time`() throws {
        var rollout = try MemoryRollout(Self.plan)
        #expect(rollout.look() == "start 1 %")
        #expect(rollout.look() == "wait 14400")
        rollout.now += 14_399
        #expect(rollout.look() == "wait 1")
        rollout.now += 1
        #expect(rollout.look() == "step 10 %")
        // A runner that was away takes one step, and its time begins then.
        rollout.now += 30 * 86_400
        #expect(rollout.look() == "step 100 %")
        #expect(rollout.state.state == .completed && rollout.look() == "it is complete")
    }

    @Test func `a pause stops the time, and words for what is so already change nothing`() throws {
        var rollout = try MemoryRollout(Self.plan)
        rollout.look()
        rollout.now += 10_000
        #expect(try rollout.say(.pause) == "paused 1 %")
        #expect(try rollout.say(.pause) == "it is paused already")
        rollout.now += 1_000_000
        #expect(rollout.look() == "it is paused, until packtool rollout resume")
        #expect(try rollout.say(.resume) == "running 1 %")
        #expect(try rollout.say(.resume) == "it is running already")
        #expect(rollout.look() == "wait 4400")
        #expect(try rollout.say(.halt) == "halted 1 %")
        #expect(try rollout.say(.halt) == "it is halted already")
        for word in [RolloutRequest.Verb.advance(), .complete] {
            let refused = #expect(throws: RegistryError.self) { try rollout.say(word) }
            #expect(refused?.kind == .conflict)
            for part in ["shop 1.1.0 on beta is halted", "(ann: said)", "packtool rollout resume comes first"] {
                #expect(refused?.message.contains(part) == true, "\(part): \(String(describing: refused))")
            }
        }
        #expect(try rollout.say(.resume) == "running 1 %")
        #expect(try rollout.say(.advance(to: 2)) == "running 10 %")
        #expect(try rollout.say(.advance(to: 2)) == "10 % of the devices have it already")
        #expect(throws: RegistryError.self) { try rollout.say(.advance(to: 4)) }
        #expect(try rollout.say(.complete) == "completed 100 %")
        #expect(try rollout.say(.complete) == "it is complete already")
        #expect(throws: RegistryError.self) { try rollout.say(.pause) }
    }

    @Test func `who halted it is said, also if the reason begins with the same letters`() throws {
        var rollout = try MemoryRollout(Self.plan)
        rollout.look()
        func halted(_ reason: String) -> String? {
            let halt = RolloutEvent(.action(.halt, reason: reason), time: rollout.now, actor: "ann")
            return RolloutState(rollout.events + [halt])?.cause
        }
        #expect(halted("annotations fail") == "ann: annotations fail")
        #expect(halted("ann said halt") == "ann said halt")
    }

    @Test func `a plan that was paused before it began has not begun after resume`() throws {
        var rollout = try MemoryRollout("{\"start\": \"manual\", \"steps\": [{\"share\": 5}]}")
        #expect(rollout.look() == "it waits for packtool rollout start")
        #expect(try rollout.say(.pause) == "paused 0 %")
        #expect(try rollout.say(.resume) == "scheduled 0 %")
        #expect(try rollout.say(.start) == "completed 5 %")
    }

    @Test func `a share that a person set pauses the plan, and stays for its whole time afterwards`() throws {
        var rollout = try MemoryRollout(Self.plan)
        rollout.look()
        rollout.now += 14_000
        rollout.set(try Share(percent: 20))
        #expect(rollout.state.state == .paused && rollout.state.reason.contains("20 % by hand"))
        #expect(try rollout.say(.resume) == "running 20 %")
        #expect(rollout.look() == "wait 86400")
    }

    @Test func `a gate holds a step back, also the end, and what came before a halt does not count after resume`()
        throws
    {
        var rollout = try MemoryRollout(
            "{\"gate\": {\"devices\": 50}, \"steps\": [{\"share\": 1, \"for\": \"4h\"}, {\"share\": 100, \"for\": \"1d\"}]}"
        )
        #expect(rollout.look(.waiting("nobody reports")) == "start 1 %", "nobody can report before it")
        #expect(RolloutRule(rollout.state, now: rollout.now).gate?.devices == 50)
        #expect(rollout.look(.waiting("few")) == "wait 14400")
        rollout.now += 14_400
        #expect(rollout.look(.waiting("few")) == "the gate waits: few")
        rollout.now += 1_000_000
        #expect(rollout.look(.waiting("few")) == "the gate waits: few")
        #expect(rollout.look(.good("all well")) == "step 100 %")
        rollout.now += 86_400
        #expect(rollout.look(.waiting("few")) == "the gate waits: few")
        let first = rollout.state.watchedSince
        #expect(rollout.look(.bad("7 % fail")) == "halt: devices are not well: 7 % fail")
        #expect(RolloutRule(rollout.state, now: rollout.now).gate == nil && rollout.state.watchedSince == first)
        rollout.now += 60
        #expect(try rollout.say(.resume) == "running 100 %")
        #expect(rollout.state.watchedSince == rollout.now)
        #expect(rollout.look(.good("all well")).hasPrefix("complete"))
    }

    @Test func `health halts at any time, lets a step be taken, or makes it wait`() throws {
        var rollout = try MemoryRollout(Self.plan.replacing("{\"steps", with: "{\"unknownHealth\": \"wait\", \"steps"))
        // Nothing can be known of a release that no device has.
        #expect(rollout.look() == "start 1 %")
        rollout.now += 14_400
        #expect(rollout.look().contains("the health of the devices is unknown"))
        #expect(rollout.look(.good("0.1 % fail")) == "step 10 %")
        #expect(rollout.look(.bad("7 % fail")) == "halt: devices are not well: 7 % fail")
        #expect(rollout.state.state == .halted && rollout.state.share.percent == 10)
    }

    @Test func `a cap takes a step in parts, an hour apart`() throws {
        var rollout = try MemoryRollout(
            "{\"devices\": 1000, \"newDevicesPerHour\": 40, \"steps\": [{\"share\": 10, \"for\": \"10m\"}, {\"share\": 11}]}"
        )
        var shares: [String] = []
        while rollout.state.state != .completed {
            shares.append(rollout.look())
            rollout.now += 3_600
        }
        #expect(shares == ["start 4 %", "step 8 %", "step 10 %", "step 11 %"])
    }

    @Test func `an end and a newer release pause the plan`() throws {
        var rollout = try MemoryRollout(Self.plan)
        rollout.look()
        rollout.newer = "1.2.0"
        #expect(rollout.look() == "pause: the channel offers a newer release, 1.2.0")
        #expect(throws: RegistryError.self) { try rollout.say(.resume) }
        let end = WireTime.text(rollout.now + 3_600)
        var ending = try MemoryRollout(Self.plan.replacing("{\"steps", with: "{\"end\": \"\(end)\", \"steps"))
        ending.look()
        #expect(ending.look() == "wait 3600", "the end is before the next step")
        ending.now += 3_600
        #expect(ending.look() == "pause: the plan's end has come at 1 %")
        #expect(throws: RegistryError.self) { try ending.say(.resume) }
    }

    @Test func `what a forecast says is what happens`() throws {
        var rollout = try MemoryRollout(
            """
            {"steps": [{"share": 1, "for": "4h"}, {"share": 30, "for": "3h"}, {"share": 100, "for": "1d"}],
             "devices": 1000, "newDevicesPerHour": 90,
             "hours": {"zone": "America/New_York", "windows": [{"days": ["tue", "thu"], "from": "09:00", "to": "12:00"}]}}
            """)
        let forecast = RolloutForecast(rollout.state, now: rollout.now)
        let end = try #require(forecast.completes)
        var found: [RolloutForecast.Moment] = []
        while rollout.state.state != .completed, rollout.now <= end {
            if case .take(let share, _, _, _) = RolloutRule(rollout.state, now: rollout.now).next {
                found.append(RolloutForecast.Moment(date: rollout.now, share: share))
            }
            rollout.look()
            rollout.now += 1
            if case .wait(let date?, _, _) = RolloutRule(rollout.state, now: rollout.now).next { rollout.now = date }
        }
        #expect(found == forecast.moments && found.count == 13)
        #expect(rollout.state.state == .completed)
    }
}
