import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// What people read about a decision is what the decision was.
@Suite("RolloutExplanationTests") struct RolloutExplanationTests {
    private let shop = try! PackageID("shop")

    private func release(
        _ id: String, _ rollout: Rollout = .everyone, app: String? = nil, set: String? = nil
    ) throws -> Release {
        try Release(
            id: id, offer: .version(SemanticVersion("1.0.0"), manifest: Digest(of: Data(id.utf8))), rollout: rollout,
            requiredApp: app.map { try VersionRange($0) }, set: set)
    }

    private func file(_ releases: [Release], isEnabled: Bool = true) throws -> ChannelFile {
        ChannelFile(
            app: "shop", channel: try ChannelName("beta"),
            packages: [shop: .init(releases: releases, isEnabled: isEnabled)])
    }

    @Test func `every condition is listed with pass or fail, and the value that was seen`() throws {
        let rollout = Rollout(audiences: [
            try Audience("platform=ios; os>=17; tag.tier=gold"), try Audience("device=d1"),
        ])
        let file = try file([release("r3", rollout), release("r2", app: ">=5.0.0"), release("r1"), release("r0")])
        let device = DeviceFacts(
            deviceID: "d2", appVersion: try AppVersion("4.0.0"), platform: "linux",
            osVersion: try AppVersion("17.4"))
        let explanation = RolloutExplanation(shop, in: file, for: device, notes: ["1.0.0 is active"])
        let hash = Condition.hash(ofDevice: "d2")
        let places = file.packages[shop]?.releases.map { release in
            let bucket = RolloutDecision.bucket(app: "shop", package: shop, release: release.id, device: "d2")
            return (try? Share(tenThousandths: Int(bucket.multipliedFullWidth(by: 10_000).high)).description) ?? ""
        }
        let (three, two, one) = (places?[0] ?? "", places?[1] ?? "", places?[2] ?? "")
        #expect(
            explanation.text == """
                shop on beta: the device takes 1.0.0
                  1.0.0 is active
                  release r3, 1.0.0: skipped, its platform is linux, not ios, and the device is not among those that are named
                    FAIL  audience 1  platform=ios     linux
                    pass  audience 1  os>=17           17.4
                    FAIL  audience 1  tag.tier=gold    not known
                    FAIL  audience 2  1 devices named  the device's hash is \(hash)
                    pass              share 100 %      the device is at \(three)
                  release r2, 1.0.0: skipped, it requires app >=5.0.0 and this is 4.0.0
                    FAIL  requires app >=5.0.0  4.0.0
                    pass  share 100 %           the device is at \(two)
                  release r1, 1.0.0: selected, the device is in the 100 % of the rollout
                    pass  share 100 %  the device is at \(one)
                  release r0, 1.0.0: not needed, a newer release is selected
                """)
        #expect(try explanation.json.string("release") == "r1")
    }

    @Test func `a set, a failure on the device, a gate and a missing package are told`() throws {
        var packages = try file([release("r2", set: "s1"), release("r1")]).packages
        packages[try PackageID("admin")] = .init(releases: [try release("a2", app: ">=9.0.0", set: "s1")])
        let channel = ChannelFile(app: "shop", channel: try ChannelName("beta"), packages: packages)
        let device = DeviceFacts(deviceID: "d1", appVersion: try AppVersion("4.0.0"))
        let set = RolloutExplanation(shop, in: channel, for: device)
        #expect(set.release?.id == "r1")
        #expect(
            set.text.contains("FAIL  the whole set s1  admin: it requires app >=9.0.0 and this is 4.0.0"), "\(set.text)"
        )
        let failed = RolloutExplanation(shop, in: channel, for: device, refusals: ["r1": "it failed on this device"])
        #expect(failed.release == nil && failed.text.contains("r1, 1.0.0: skipped, it failed on this device"))
        #expect(failed.text.hasPrefix("shop on beta: no release is for this device"))
        let newer = DeviceFacts(deviceID: "d1", appVersion: try AppVersion("9.0.0"))
        let other = RolloutExplanation(shop, in: channel, for: newer, refusals: ["a2": "it failed on this device"])
        #expect(other.text.contains("its set is skipped: admin: it failed on this device"), "\(other.text)")
        let gate = try RolloutExplanation(shop, in: file([release("r1")], isEnabled: false), for: device)
        #expect(gate.text.contains("the feature gate of the package is off"))
        let absent = try RolloutExplanation(PackageID("nothing"), in: channel, for: device)
        #expect(absent.text.contains("the channel does not have the package") && absent.release == nil)
    }

    @Test func `without a device's id a share is not decided, and it is said`() throws {
        let explanation = try RolloutExplanation(
            shop, in: file([release("r2", Rollout(percent: 50)), release("r1")]), for: DeviceFacts(deviceID: ""))
        #expect(explanation.release?.id == "r1")
        #expect(explanation.text.contains("FAIL  share 50 %  no device is given"), "\(explanation.text)")
    }

    /// 2,000 random channels: what is explained is what is decided.
    @Test func `the explanation selects what the decision selects`() throws {
        var dice = SystemRandomNumberGenerator()
        let admin = try PackageID("admin")
        for _ in 0..<2_000 {
            func list(_ name: String) throws -> [Release] {
                try (0..<3).map { index in
                    let audience = try Bool.random(using: &dice) ? [] : [Audience("platform=ios")]
                    return try release(
                        "\(name)\(index)",
                        Rollout(
                            share: Share(percent: [0, 50, 100].randomElement(using: &dice) ?? 0), audiences: audience),
                        app: Bool.random(using: &dice) ? ">=2.0.0" : nil,
                        set: Bool.random(using: &dice) ? "s\(index)" : nil)
                }
            }
            let file = ChannelFile(
                app: "shop", channel: try ChannelName("beta"),
                packages: [shop: .init(releases: try list("r")), admin: .init(releases: try list("a"))])
            let device = DeviceFacts(
                deviceID: "d\(Int.random(in: 0..<50, using: &dice))",
                appVersion: Bool.random(using: &dice) ? try AppVersion("2.0.0") : nil,
                platform: Bool.random(using: &dice) ? "ios" : nil)
            let refused = ReleaseSets(of: file).refusals(app: "shop", device)
            for package in [shop, admin] {
                let decision = RolloutDecision(
                    app: "shop", package: package, releases: file.packages[package]?.releases ?? [], device: device,
                    refusedSets: refused)
                let explanation = RolloutExplanation(package, in: file, for: device)
                #expect(explanation.release == decision.release)
                for entry in explanation.entries where entry.outcome != .notNeeded {
                    let audiences = Dictionary(grouping: entry.checks.filter { $0.audience != nil }) { $0.audience }
                    let isIn = audiences.isEmpty || audiences.values.contains { $0.allSatisfy(\.isMet) }
                    let others = entry.checks.filter { $0.audience == nil }.allSatisfy(\.isMet)
                    #expect((isIn && others) == (entry.outcome == .selected), "\(explanation.text)")
                }
            }
        }
    }

    @Test func `the policy is told part by part, with what keeps the device waiting, and the step of the plan`() throws
    {
        let policy = try ClientPolicy(
            install: .nextStart, network: .unmetered, window: LocalWindow("mon-fri 22:00-05:00"))
        let waiting = try release("r2").with(policy: policy)
        let file = try file([waiting, release("r1")])
        let plan = PlanProgress(
            state: "running", step: 2, stepCount: 4, nextShare: try Share(percent: 50), nextTime: "2026-11-26T09:00:00Z"
        )
        #expect(try PlanProgress(json: plan.json) == plan)
        func lines(_ network: NetworkKind?, _ taking: RolloutExplanation.Taking = .init()) -> [String] {
            RolloutExplanation(
                shop, in: file, for: DeviceFacts(deviceID: "d", network: network), plans: ["r2": plan], taking: taking
            ).text.split(separator: "\n").map(String.init).filter { line in
                line.hasPrefix("    ") && ["tell", "WAIT", "plan", "network"].contains { line.contains($0) }
            }
        }
        #expect(
            lines(.metered) == [
                "    tell  install nextStart    it is active when the app starts next",
                "    WAIT  network unmetered    metered", "    tell  mon-fri 22:00-05:00  by the device's clock",
                "    plan  step 2 of 4, running; next 50 % at 2026-11-26T09:00:00Z",
            ])
        #expect(lines(nil)[1] == "    WAIT  network unmetered    not known")
        #expect(lines(.unmetered)[1] == "    pass  network unmetered    unmetered")
        let noon = RolloutExplanation.Taking(
            time: LocalTime(.tue, minute: 725),
            installed: [
                VersionID(version: try SemanticVersion("1.0.0"), manifest: Digest(of: Data("r2".utf8)))
            ])
        #expect(lines(.metered, noon)[1] == "    pass  network unmetered    it is on the device")
        #expect(lines(.metered, noon)[2] == "    WAIT  mon-fri 22:00-05:00  tue 12:05 on the device's clock")
        let told = RolloutExplanation(
            shop, in: file, for: DeviceFacts(deviceID: "d", network: .metered), plans: ["r2": plan]
        ).json
        let entry = try told.array("releases")[0].object()
        #expect(try entry.array("policy")[1].object().string("effect") == "waits")
        #expect(try PlanProgress(json: entry.object("plan")) == plan)
    }

    @Test func `a device that skips a mandatory release waits for nothing, and is told why`() throws {
        let manifest = Digest(of: [1])
        let old = try Release(
            id: "r1", offer: .version(SemanticVersion("1.1.0"), manifest: manifest),
            policy: ClientPolicy(isMandatory: true))
        let new = try Release(
            id: "r2", offer: .version(SemanticVersion("1.2.0"), manifest: manifest),
            policy: ClientPolicy(network: .unmetered))
        let text = RolloutExplanation(
            shop, in: try file([new, old]), for: DeviceFacts(deviceID: "d"),
            taking: .init(running: try SemanticVersion("1.0.0"))
        ).text
        #expect(text.contains("tell  mandatory    the device skips 1.1.0, which was mandatory"), "\(text)")
        #expect(!text.contains("WAIT"), "\(text)")
    }
}
