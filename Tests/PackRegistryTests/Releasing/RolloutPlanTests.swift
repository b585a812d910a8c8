import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistryAPI

/// Plans as people write them: what is read, and where a mistake is.
struct RolloutPlanTests {
    private func read(_ text: String, devices: Int? = nil) throws -> RolloutPlan {
        try RolloutPlan(parsing: Array(text.utf8), named: "plan.json", devices: devices)
    }

    private func refusal(_ text: String) -> String {
        let error = #expect(throws: RegistryError.self) { try read(text) }
        return error?.message ?? ""
    }

    @Test(arguments: ["UTC", "GMT", "Etc/UTC", "Europe/Berlin", "US/Pacific"])
    func `a plan that was taken can be read again, whatever its time zone`(zone: String) throws {
        let windows = "[{\"days\": [\"wed\"], \"from\": \"00:00\", \"to\": \"24:00\"}]"
        let steps = "[{\"share\": 10, \"for\": \"30m\"}, {\"share\": 100}]"
        let text = "{\"steps\": \(steps), \"hours\": {\"zone\": \"\(zone)\", \"windows\": \(windows)}}"
        let plan = try RolloutPlan(parsing: Array(text.utf8), named: "plan")
        #expect(try RolloutPlan(json: .object(plan.json)) == plan)
        #expect(plan.hours?.zone.planName == (zone == "GMT" ? "UTC" : zone))
    }

    @Test func `a plan is read with comments, and written as it was read`() throws {
        let plan = try read(
            """
            {
              // careful
              "steps": [{"share": "0.5", "for": "1d12h"}, {"share": 10, "for": "30m"}, {"share": 100},],
              "start": "2026-11-30T08:00:00Z", "end": "2026-12-24T00:00:00Z",
              "hours": {"zone": "Europe/Berlin", "windows": [
                {"days": ["fri", "mon"], "from": "09:00", "to": "12:30"}, {"days": ["mon"], "from": "13:00", "to": "24:00"}]},
              "devices": 200000, "newDevicesPerHour": 5000, "unknownHealth": "wait",
            }
            """)
        #expect(plan.steps.map(\.share.tenThousandths) == [50, 1_000, 10_000])
        #expect(plan.steps.map(\.time?.seconds) == [129_600, 1_800, nil])
        #expect(plan.hourlyShare?.tenThousandths == 250)
        #expect(try RolloutPlan(json: .object(plan.json)) == plan)
        #expect(try RolloutPlan(json: JSONValue(parsing: JSONValue.object(plan.json).canonicalBytes)) == plan)
        let short = "{\"steps\": [{\"share\": 100}], \"newDevicesPerHour\": 7}"
        #expect(try read(short, devices: 70).hourlyShare?.tenThousandths == 1_000)
    }

    @Test func `a gate of a plan is of all steps that come before another, and do not say otherwise`() throws {
        let plan = try read(
            """
            {"gate": {"haltAbove": "0.25", "devices": 20},
             "steps": [{"share": 1, "for": "1d"}, {"share": 5, "for": "1d", "gate": false},
                       {"share": 10, "for": "1d", "gate": true}, {"share": 50, "for": "1d", "gate": {"haltAbove": 5}}, {"share": 100}]}
            """)
        #expect(plan.steps.map(\.gate?.haltAbove.tenThousandths) == [25, nil, 50, 500, nil])
        #expect(plan.steps.map(\.gate?.devices) == [20, nil, 200, 200, nil])
        #expect(plan.steps[3].gate?.advanceBelow.percent == 5, "a laxer halt makes the next step laxer too")
        #expect(try RolloutPlan(json: .object(plan.json)) == plan)
        #expect(try plan.gated.steps.map { $0.gate != nil } == [true, true, true, true, false])
        #expect(try RolloutPlan.gradual().steps.map(\.share.percent) == [1, 10, 50, 100])
    }

    @Test(arguments: [
        (
            "{\"steps\": [{\"share\": 10, \"for\": \"1h\"}, {\"share\": 5}]}", "plan.json:1:", "steps[1].share",
            "only grows"
        ),
        (
            "{\"steps\": [{\"share\": 10, \"for\": \"1h\"}, {\"share\": 10}]}", "plan.json:1:", "steps[1].share",
            "only grows"
        ),
        ("{\"steps\": [{\"share\": 10}, {\"share\": 20}]}", "plan.json:1:", "steps[0]", "\"for\" is missing"),
        (
            "{\"steps\": [{\"share\": 1, \"for\": \"1d\", \"gate\": {\"haltAbove\": 4, \"advanceBelow\": 2}}]}",
            "plan.json:1:",
            "steps[0].gate.advanceBelow", "less than"
        ),
        (
            "{\"steps\": [{\"share\": 1, \"for\": \"1d\", \"gate\": {\"silence\": \"5m\"}}]}", "plan.json:1:",
            "steps[0].gate.silence", "15m to 7d"
        ),
        (
            "{\"gate\": {\"devises\": 9}, \"steps\": [{\"share\": 1}]}", "plan.json:1:", "gate.devises",
            "haltAbove, advanceBelow"
        ),
        ("{\"steps\": [{\"share\": 1, \"gate\": true}]}", "plan.json:1:", "steps[0].gate", "ends the rollout"),
        ("{\"steps\": []}", "plan.json:1:2:", "steps", "0 steps"),
        ("{\"steps\": [{\"share\": 0}]}", "plan.json:1:", "steps[0].share", "above 0"),
        ("{\"steps\": [{\"share\": 101}]}", "plan.json:1:13:", "steps[0].share", "101"),
        ("{\"steps\": [{\"share\": 0.5}]}", "plan.json:1:22:", "fractions", "\"0.5\""),
        ("{\"steps\": [{\"share\": 1, \"for\": \"4 hours\"}]}", "plan.json:1:", "steps[0].for", "write 30m, 4h"),
        ("{\"steps\": [{\"share\": 1, \"for\": \"1h1d\"}]}", "plan.json:1:", "steps[0].for", "write 30m, 4h"),
        ("{\"steps\": [{\"share\": 1, \"for\": \"2000d\"}]}", "plan.json:1:", "steps[0].for", "a year"),
        ("{\"steps\": [{\"share\": 1}],\n \"stepps\": 1}", "plan.json:2:2:", "stepps", "not known"),
        ("{}", "plan.json:", "steps", "missing"),
        ("[]", "plan.json:", "an object", "an array"),
        ("{\"steps\": [{\"share\": 1}], \"start\": \"tomorrow\"}", "plan.json:1:", "start", "2026-11-21T09:00:00Z"),
        (
            "{\"steps\": [{\"share\": 1}], \"start\": \"2026-11-21T09:00:00Z\", \"end\": \"2026-11-21T09:00:00Z\"}",
            "plan.json:1:", "end", "not after"
        ),
        ("{\"steps\": [{\"share\": 1}], \"newDevicesPerHour\": 5}", "plan.json:1:", "newDevicesPerHour", "--devices"),
        (
            "{\"steps\": [{\"share\": 1}], \"newDevicesPerHour\": 5, \"devices\": 1000000}", "plan.json:1:",
            "newDevicesPerHour", "0.01 %"
        ),
        ("{\"steps\": [{\"share\": 1}], \"devices\": 0}", "plan.json:1:", "devices", "1 to"),
        ("{\"steps\": [{\"share\": 1}], \"unknownHealth\": \"hope\"}", "plan.json:1:", "unknownHealth", "\"wait\""),
    ])
    func `a mistake is told with its place and its reason`(text: String, file: String, place: String, reason: String) {
        let message = refusal(text)
        for part in [file, place, reason] { #expect(message.contains(part), "\(message)") }
    }

    @Test(arguments: [
        (
            "Mars/Olympus", "[{\"days\": [\"mon\"], \"from\": \"09:00\", \"to\": \"10:00\"}]", "hours.zone",
            "Mars/Olympus"
        ),
        ("CET", "[{\"days\": [\"mon\"], \"from\": \"09:00\", \"to\": \"10:00\"}]", "hours.zone", "IANA"),
        ("../../etc/passwd", "[{\"days\": [\"mon\"], \"from\": \"09:00\", \"to\": \"10:00\"}]", "hours.zone", "IANA"),
        ("UTC", "[]", "hours.windows", "0 windows"),
        ("UTC", "[{\"days\": [], \"from\": \"09:00\", \"to\": \"10:00\"}]", "hours.windows[0].days", "no day"),
        (
            "UTC", "[{\"days\": [\"Monday\"], \"from\": \"09:00\", \"to\": \"10:00\"}]", "hours.windows[0].days",
            "mon, tue"
        ),
        ("UTC", "[{\"days\": [\"mon\"], \"from\": \"9:00\", \"to\": \"10:00\"}]", "hours.windows[0].from", "09:30"),
        ("UTC", "[{\"days\": [\"mon\"], \"from\": \"09:00\", \"to\": \"24:01\"}]", "hours.windows[0].to", "24:00"),
        (
            "UTC", "[{\"days\": [\"mon\"], \"from\": \"22:00\", \"to\": \"06:00\"}]", "hours.windows[0].to",
            "two windows"
        ),
        (
            "UTC",
            "[{\"days\": [\"tue\", \"mon\"], \"from\": \"09:00\", \"to\": \"12:00\"}, "
                + "{\"days\": [\"tue\"], \"from\": \"11:59\", \"to\": \"13:00\"}]", "hours.windows[1]",
            "overlaps windows[0]"
        ),
    ])
    func `hours that cannot be are refused`(zone: String, windows: String, place: String, reason: String) {
        let message = refusal(
            "{\"steps\": [{\"share\": 1}],\n\"hours\": {\"zone\": \"\(zone)\", \"windows\": \(windows)}}")
        for part in ["plan.json:2:", place, reason] { #expect(message.contains(part), "\(message)") }
    }

    @Test func `a plan of a megabyte, or of very many steps, is refused`() {
        let steps = String(repeating: "{\"share\": 1, \"for\": \"1h\"},", count: 40_000)
        #expect(refusal("{\"steps\": [\(steps)]}").contains("262144 at most"))
        #expect(refusal("{\"steps\": [\(steps.prefix(2_600))]}").contains("100 steps: 1 to 100") == false)
        #expect(refusal("{\"steps\": [\(steps.prefix(26 * 101))]}").contains("101 steps: 1 to 100"))
        #expect(refusal(String(repeating: "[", count: 1_000)).contains("plan.json:1:"))
    }
}
