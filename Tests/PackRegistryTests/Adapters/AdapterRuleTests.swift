import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackDashboard
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// What a channel decides, as the client of each system is told: groups, audiences, the feature gate, shares, rollbacks,
/// and gates of rollouts by what clients report.
@Suite("AdapterRuleTests") struct AdapterRuleTests {
    /// A shop whose group testers has the device d3, and its server.
    private static func serving(
        _ kind: AdapterKind, _ body: @escaping @Sendable (AdaptedShop, RunningServer) async throws -> Void
    ) async throws {
        let adapted = try await AdaptedShop.make()
        let salt = String(repeating: "ab", count: 16)
        _ = try await adapted.shop.registry.change(
            .group(DeviceGroup(name: "testers", salt: salt, devices: [DeviceGroup.hash(of: "d3", salt: salt)])),
            on: channel())
        try await adapted.serving(kind) { server in try await body(adapted, server) }
    }

    @Test(arguments: AdapterKind.allCases)
    func `a release for a group goes to its devices`(kind: AdapterKind) async throws {
        try await Self.serving(kind) { (adapted, server) async throws in
            try await adapted.change(.offer(version("1.2.0"), Rollout(audiences: [Audience("group=testers")])))
            for (id, version) in [("d1", "1.1.0"), ("d3", "1.2.0"), ("", "1.1.0")] {
                let update = try await AdaptedDevice(id: id).update(by: kind, server, adapted)
                #expect(update == (AdaptedDevice.hasName(kind) ? version : "1.1.0"), "\(id)")
            }
        }
    }

    @Test(arguments: AdapterKind.allCases)
    func `a release for some apps goes to these, also where the device has no id`(kind: AdapterKind) async throws {
        try await Self.serving(kind) { (adapted, server) async throws in
            try await adapted.change(.offer(version("1.2.0"), Rollout(audiences: [Audience("app>=5")])))
            for id in ["d1", ""] {
                let new = try await AdaptedDevice(id: id, app: "5.1.0").update(by: kind, server, adapted)
                #expect(new == (AdaptedDevice.hasName(kind) ? "1.2.0" : "1.1.0"), "\(id)")
                #expect(try await AdaptedDevice(id: id).update(by: kind, server, adapted) == "1.1.0", "\(id)")
            }
        }
    }

    @Test(arguments: AdapterKind.allCases)
    func `a package that is switched off is not handed out`(kind: AdapterKind) async throws {
        try await Self.serving(kind) { (adapted, server) async throws in
            let devices = [nil, "1.0.0"].map { AdaptedDevice(running: $0) }
            for isOn in [true, false, true] {
                _ = try await adapted.shop.registry.change(.gate(package(), isOn: isOn), on: channel())
                for device in devices {
                    #expect(try await device.update(by: kind, server, adapted) == (isOn ? "1.1.0" : nil), "\(device)")
                }
            }
        }
    }

    @Test(arguments: AdapterKind.allCases)
    func `a share has the devices that /v1/update has, each time, and keeps them while it grows`(kind: AdapterKind)
        async throws
    {
        try await Self.serving(kind) { (adapted, server) async throws in
            @Sendable func taking() async throws -> Set<String> {
                var taking: Set<String> = []
                for id in (0..<40).map({ "d\($0)" }) {
                    let update = try await AdaptedDevice(id: id).update(by: kind, server, adapted)
                    if update == "1.2.0" { taking.insert(id) } else { #expect(update == "1.1.0", "\(id)") }
                    guard AdaptedDevice.hasName(kind) else { continue }
                    let path = "/v1/update?channel=beta&package=checkout&device=\(id)&app=3.2.0"
                    let own = try await server.ask("GET", path)
                    #expect(try JSONValue(parsing: own.body).object().string("version") == update, "\(id)")
                }
                return taking
            }
            try await adapted.offer("1.2.0", 40)
            let first = try await taking()
            #expect(try await taking() == first)
            try await adapted.change(.setRollout(Share(percent: 80)))
            let more = try await taking()
            if AdaptedDevice.hasName(kind) {
                #expect(!first.isEmpty && first.count < more.count && more.isSuperset(of: first), "\(first) \(more)")
            } else {
                #expect(more.isEmpty)
            }
            // Nobody in particular is in no share.
            #expect(try await AdaptedDevice(id: "").update(by: kind, server, adapted) == "1.1.0")
            try await adapted.change(.setRollout(.whole))
            #expect(try await taking().count == 40)
        }
    }

    @Test(arguments: AdapterKind.allCases)
    func `a rollback is an update to the version before, and what runs is none`(kind: AdapterKind) async throws {
        try await Self.serving(kind) { (adapted, server) async throws in
            #expect(try await AdaptedDevice(running: "1.1.0").update(by: kind, server, adapted) == nil)
            try await adapted.change(.rollBack(to: nil))
            #expect(try await AdaptedDevice(running: "1.1.0").update(by: kind, server, adapted) == "1.0.0")
            #expect(try await AdaptedDevice(running: "1.0.0").update(by: kind, server, adapted) == nil)
        }
    }

    // MARK: Gates of rollouts

    private static let plan = #"""
        {"steps": [
          {"share": 50, "for": "1h", "gate": {"silence": "15m", "networks": 1, "devices": 12, "advanceBelow": 25}},
          {"share": 100}]}
        """#

    /// The client of a device says that a version runs well, or that it was left for the one before.
    private static func tell(
        _ kind: AdapterKind, _ server: RunningServer, _ id: String, isWell: Bool, at time: Date
    ) async throws {
        let answer: RawAnswer
        switch kind {
        case .capgo:
            let events = ["set", isWell ? "app_launch_ready" : "update_fail"].enumerated().map { index, action in
                JSONValue.object(
                    CapgoTests.device(
                        id,
                        also: [
                            "action": .string(action), "version_name": "1.2.0", "old_version_name": "1.1.0",
                            "timestamp": .integer(Int(time.timeIntervalSince1970) * 1000 + index),
                        ]))
            }
            answer = try await server.ask(
                "POST", "/adapters/capgo/checkout/stats", body: Array(JSONValue.array(events).compactText.utf8))
        case .codepush:
            answer = try await server.send(
                [
                    "deployment_key": "checkout/beta", "client_unique_id": .string(id), "app_version": "3.2.0",
                    "label": "1.2.0", "status": .string(isWell ? "DeploymentSucceeded" : "DeploymentFailed"),
                    "previous_label_or_app_version": "1.1.0", "previous_deployment_key": "checkout/beta",
                ], to: CodePushTests.base + "report_status/deploy")
        case .capawesome, .chcp, .ionic, .offline:
            throw RegistryError(.invalid, "clients of \(kind) tell nothing")
        }
        #expect(answer.status == 200, "\(answer)")
    }

    /// The adapters whose clients report.
    private static let reporting = AdapterKind.allCases.filter { $0.system.reports }

    @Test(arguments: reporting, [true, false])
    func `a gate goes by what the clients report`(kind: AdapterKind, isWell: Bool) async throws {
        try await Self.serving(kind) { (adapted, server) async throws in
            let shop = adapted.shop
            _ = try await shop.registry.rollout(
                RolloutRequest(
                    .plan(RolloutPlan(parsing: Array(Self.plan.utf8), named: "plan")), of: version("1.2.0")),
                of: package(), on: channel())
            var taking: [String] = []
            var outside: String?
            for id in (0..<200).map({ "d\($0)" }) where taking.count < 30 || outside == nil {
                if try await AdaptedDevice(id: id, running: "1.1.0").update(by: kind, server, adapted) == "1.2.0" {
                    taking.append(id)
                } else {
                    outside = id
                }
            }
            try #require(taking.count >= 30)
            let other = try AdaptedDevice(id: #require(outside), running: "1.1.0")
            for id in taking { try await Self.tell(kind, server, id, isWell: isWell, at: shop.clock.now) }
            shop.clock.advance(seconds: 3_700)
            let run = try await shop.registry.runRollouts()
            #expect(run.failures.isEmpty)
            #expect(run.actions.map(\.name) == [isWell ? "step" : "halt"])
            let status = try #require(try await shop.registry.rollouts(of: package()).first)
            #expect((status.state == .halted) == !isWell, "\(status.reason)")
            if !isWell { #expect(status.reason.contains("devices are not well"), "\(status.reason)") }
            // Halted, it goes to nobody else, however long.
            shop.clock.advance(seconds: 3_700)
            _ = try await shop.registry.runRollouts()
            #expect(try await other.update(by: kind, server, adapted) == (isWell ? "1.2.0" : nil))
        }
    }
}
