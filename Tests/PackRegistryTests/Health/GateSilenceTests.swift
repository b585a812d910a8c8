import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// How long a gate waits for devices that say nothing.
struct GateSilenceTests {
    private static let plan = #"""
        {"steps": [{"share": 100, "for": "1h", "gate": {"silence": "15m", "networks": 1, "devices": 12, "advanceBelow": 25}}]}
        """#

    @Test func `a device has its whole time, also one that starts late in the quarter of an hour that it reports`()
        async throws
    {
        let shop = try await Shop()
        let past = Int(shop.clock.now.timeIntervalSince1970) % ReportEvent.timeStep
        shop.clock.advance(seconds: Double(ReportEvent.timeStep - past))
        try await shop.publisher().publish(["1.0.0", "1.1.0"].map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        _ = try await shop.registry.rollout(
            RolloutRequest(.plan(RolloutPlan(parsing: Array(Self.plan.utf8), named: "plan")), of: version("1.1.0")),
            of: package(), on: channel())
        let release = try await #require(shop.registry.rollouts(of: package()).first).release
        shop.clock.advance(seconds: 14 * 60)
        let now = Int(shop.clock.now.timeIntervalSince1970)
        for number in 0..<30 {
            let event = try ReportEvent(
                sequence: 1, code: .activated, time: now, package: package(), version: version("1.1.0"),
                release: release)
            _ = try await shop.local.reportStore.add(
                JudgedReports(
                    sender: ReportID(String(repeating: "a", count: 30) + "\(10 + number)"), channel: channel(),
                    events: [event], received: now, network: [192, 0, UInt8(number)]))
        }
        func gate() async throws -> GateReading {
            try await #require(shop.registry.rollouts(of: package()).first?.gate)
        }
        for minutes in [2, 5, 7] {
            shop.clock.advance(seconds: Double(minutes * 60))
            let reading = try await gate()
            #expect(reading.verdict != .halting && reading.text.contains("0 of 30 devices failed"), "\(reading.text)")
        }
        shop.clock.advance(seconds: 20 * 60)
        let reading = try await gate()
        #expect(reading.verdict == .halting && reading.text.contains("30 of them by silence"), "\(reading.text)")
    }
}
