import Foundation
import PackFormat
import PackJSON
import Synchronization
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// Random plans, looks and words on a clock that tests move: what the runner releases is what `Tests/Tools/rollout_reference.py`
/// says, which was written from `docs/ROLLOUTS.md`.
@Suite("PlanReferenceTests") struct PlanReferenceTests {
    private static let start = Date(timeIntervalSince1970: 1_795_460_722)

    private final class Clock: Sendable {
        private let time = Mutex(PlanReferenceTests.start)
        var now: Date {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    // MARK: What is made up

    private static func plan(_ random: inout SeededGenerator) -> JSONObject {
        var shares = Set<Int>()
        for _ in 0..<Int.random(in: 1...5, using: &random) { shares.insert(Int.random(in: 1...10_000, using: &random)) }
        if Bool.random(using: &random) { shares.insert(10_000) }
        let times = ["45s", "10m", "1h", "90m", "4h", "1d", "1d12h", "1w"]
        let isOpenEnded = Bool.random(using: &random)
        let sorted = shares.sorted()
        let steps = sorted.enumerated().map { index, share -> JSONValue in
            let text = try? Share(tenThousandths: share).percentText
            var step: JSONObject = ["share": .string(text ?? "")]
            if index < sorted.count - 1 || isOpenEnded {
                step["for"] = .string(times.randomElement(using: &random) ?? "")
            }
            return .object(step)
        }
        var plan: JSONObject = ["steps": .array(steps)]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: plan["start"] = "manual"
        case 1:
            plan["start"] = .string(
                WireTime.text(start + Double.random(in: -86_400...172_800, using: &random).rounded()))
        default: break
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            plan["end"] = .string(
                WireTime.text(start + Double.random(in: 259_200...1_000_000, using: &random).rounded()))
        }
        if Bool.random(using: &random) { plan["hours"] = .object(hours(&random)) }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let devices = Int.random(in: 10...2_000_000, using: &random)
            plan["devices"] = .integer(devices)
            plan["newDevicesPerHour"] = .integer(max(1, devices / Int.random(in: 2...90, using: &random)))
        }
        if Int.random(in: 0..<5, using: &random) == 0 { plan["unknownHealth"] = "wait" }
        return plan
    }

    private static func hours(_ random: inout SeededGenerator) -> JSONObject {
        let zones = ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]
        func clock(_ minutes: Int) -> JSONValue {
            let (hour, minute) = ("0\(minutes / 60)".suffix(2), "0\(minutes % 60)".suffix(2))
            return .string("\(hour):\(minute)")
        }
        // A window in the morning and one in the evening cannot overlap.
        let windows = [(0, 700), (720, 1_440)].map { low, high -> JSONValue in
            let from = Int.random(in: low..<(high - 60), using: &random)
            let days = OfficeHours.Day.allCases.filter { _ in Bool.random(using: &random) }
            return .object([
                "days": .array((days.isEmpty ? [.monday] : days).map { .string($0.rawValue) }), "from": clock(from),
                "to": clock(Int.random(in: (from + 1)...high, using: &random)),
            ])
        }
        return ["zone": .string(zones.randomElement(using: &random) ?? "UTC"), "windows": .array(windows)]
    }

    private static func events(_ random: inout SeededGenerator) -> [JSONObject] {
        var events: [JSONObject] = []
        var time = start.timeIntervalSince1970
        // As often as a runner of some kind, mostly.
        let pauses: [ClosedRange<Double>] = [20...120, 600...3_600, 3_600...40_000]
        let pause = pauses.randomElement(using: &random) ?? 20...120
        for _ in 0..<Int.random(in: 20...120, using: &random) {
            time += Double.random(in: pause, using: &random).rounded()
            if Int.random(in: 0..<40, using: &random) == 0 { time += 90_000 }
            var event: JSONObject = ["at": .integer(Int(time)), "verb": "look"]
            if Int.random(in: 0..<12, using: &random) == 0 {
                let verbs = ["pause", "resume", "resume", "halt", "start", "advance", "complete", "hand", "hand"]
                event["verb"] = .string(verbs.randomElement(using: &random) ?? "pause")
                if event["verb"] == "hand" { event["share"] = .integer(Int.random(in: 0...10_000, using: &random)) }
            }
            events.append(event)
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            let index = events.indices.randomElement(using: &random) ?? 0
            events[index]["verb"] = "newer"
            events[index]["share"] = nil
        }
        return events
    }

    // MARK: What the registry does

    private static func run(_ scenario: JSONObject) async throws -> String {
        let bench = try await StoreBench(.memory)
        let clock = Clock()
        let services = bench.services(clock: { clock.now })
        for version in ["1.0.0", "1.1.0", "1.2.0"] { try await bench.publish("alpha", version) }
        let registry = AuthorizedRegistry(services, as: bench.ann)
        let (package, channel) = try (PackageID("alpha"), ChannelName("beta"))
        let share = try Share(tenThousandths: scenario.integer("share"))
        _ = try await registry.change(.offer(SemanticVersion("1.0.0")), of: package, on: channel)
        _ = try await registry.change(
            .offer(SemanticVersion("1.1.0"), Rollout(share: share)), of: package, on: channel)
        let request = try RolloutRequest(
            .plan(RolloutPlan(json: scenario.required("plan"))), of: SemanticVersion("1.1.0"))
        _ = try await registry.rollout(request, of: package, on: channel)
        for event in try scenario.array("events").map({ try $0.object() }) {
            clock.now = Date(timeIntervalSince1970: Double(try event.integer("at")))
            try await apply(event, registry, package, channel)
        }
        let planned = try #require(
            try await bench.store.facts(bench.rollouts).rollouts.first { $0.version?.description == "1.1.0" })
        let state = try #require(RolloutState(planned.events))
        // What was before the plan is nobody's step.
        let attached = planned.events.first { if case .plan = $0.kind { true } else { false } }?.time ?? Self.start
        var (last, changes) = (share, [String]())
        for event in planned.events where event.time >= attached {
            guard case .share(let share) = event.kind, share != last else { continue }
            last = share
            changes.append("\(Int(event.time.timeIntervalSince1970)) \(share.tenThousandths)")
        }
        return changes.joined(separator: ", ") + ": \(state.state.rawValue)"
    }

    private static func apply(
        _ event: JSONObject, _ registry: AuthorizedRegistry, _ package: PackageID, _ channel: ChannelName
    ) async throws {
        let verbs: [String: RolloutRequest.Verb] = [
            "pause": .pause, "resume": .resume, "halt": .halt, "start": .start, "advance": .advance(),
            "complete": .complete,
        ]
        let version = try SemanticVersion("1.1.0")
        do {
            switch try event.string("verb") {
            case "look":
                let run = try await registry.runRollouts()
                #expect(run.failures.isEmpty, "\(run.failures)")
            case "hand":
                let share = try Share(tenThousandths: event.integer("share"))
                _ = try await registry.change(.setRollout(share, of: version), of: package, on: channel)
            case "newer":
                let few = try Rollout(share: Share(tenThousandths: 1))
                _ = try await registry.change(.offer(SemanticVersion("1.2.0"), few), of: package, on: channel)
            case let name:
                let verb = try #require(verbs[name])
                _ = try await registry.rollout(RolloutRequest(verb, of: version), of: package, on: channel)
            }
        } catch is RegistryError {
            // A word that the state does not allow.
        }
    }

    private static func reference(_ scenarios: [JSONObject]) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "scenarios.json")
        try Data(JSONValue.array(scenarios.map { .object($0) }).compactText.utf8).write(to: file)
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/python3")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Tools/rollout_reference.py"
        ).standardized
        python.arguments = ["-B", script.path, file.path]
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        python.waitUntilExit()
        try #require(python.terminationStatus == 0)
        // The reference says moments with a fraction.
        let text = String(decoding: data, as: UTF8.self).replacing(/([0-9])\.0([,\]])/) { "\($0.1)\($0.2)" }
        return try JSONValue(parsing: text).array().map { value in
            let result = try value.object()
            let changes = try result.array("changes").map { change in
                try change.array().map { "\(try $0.integer())" }.joined(separator: " ")
            }
            return try changes.joined(separator: ", ") + ": " + result.string("state")
        }
    }

    @Test func `200 random plans release what the reference says, at the moments that it says`() async throws {
        var random = SeededGenerator(seed: 14)
        var scenarios: [JSONObject] = []
        for _ in 0..<200 {
            var scenario: JSONObject = ["plan": .object(Self.plan(&random)), "share": 0]
            scenario["attached"] = .integer(Int(Self.start.timeIntervalSince1970))
            scenario["events"] = .array(Self.events(&random).map { .object($0) })
            let steps = try scenario.object("plan").array("steps").compactMap { try $0.object().string("share") }
            // Now and then the release has a share already.
            if let last = try steps.last.map({ try Share($0) }), last.tenThousandths > 1,
                Int.random(in: 0..<4, using: &random) == 0
            {
                scenario["share"] = .integer(Int.random(in: 0..<last.tenThousandths, using: &random))
            }
            scenarios.append(scenario)
        }
        let expected = try Self.reference(scenarios)
        #expect(expected.count == 200)
        for (index, scenario) in scenarios.enumerated() {
            let found = try await Self.run(scenario)
            let plan = try JSONValue.object(scenario.object("plan")).compactText
            #expect(found == expected[index], "plan \(index): \(plan)")
        }
        // The plans are no formality: they take steps, and come to all kinds of ends.
        #expect(expected.reduce(0) { $0 + $1.count { $0 == "," } } > 300)
        for state in ["scheduled", "running", "paused", "halted", "completed"] {
            #expect(expected.contains { $0.hasSuffix(state) }, "\(state)")
        }
    }
}
