import Foundation
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI

/// Devices with packtool 0.1.0 at a registry of today: none takes what is for some devices only.
struct EarlierDeviceTests {
    /// More with PACKTOOL_LONG=1.
    private static let files = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 400 : 20_000

    @Test func `whatever a channel offers, an earlier device takes nothing that is for some devices only`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var dice = SeededGenerator(seed: seed)
        var (count, refused) = (0, 0)
        for _ in 0..<Self.files {
            let file = try ChannelFile(parsing: Array(RandomChannel(using: &dice).text.utf8))
            let documents = file.documents
            let old = try #require(documents.first { $0.format == 1 })
            for _ in 0..<8 {
                let random = RandomDevice(using: &dice)
                let device = EarlierDevice(id: random.id, app: random.app.flatMap { try? SemanticVersion($0) })
                for document in documents where document.format != 1 {
                    #expect(throws: EarlierDevice.UnsupportedFormat(found: document.format)) {
                        try device.taken(from: document.bytes)
                    }
                    refused += 1
                }
                // It says nothing of itself but its id and its app.
                let facts = try DeviceFacts(deviceID: random.id, appVersion: random.app.map { try AppVersion($0) })
                for (name, taken) in try device.taken(from: old.bytes) {
                    let package = try PackageID(name)
                    let release = try #require(
                        file.packages[package]?.releases.first { $0.id == taken.id }, "seed \(seed)")
                    let isForAll =
                        release.rollout.audiences.isEmpty && !release.policy.delays && release.unknownFields.isEmpty
                        && (release.set == nil || release.rollout.share == .whole)
                    #expect(isForAll, "seed \(seed): \(device) takes \(release)")
                    let alone = RolloutDecision(app: file.app, package: package, releases: [release], device: facts)
                    #expect(alone.release == release, "seed \(seed): \(device) takes \(release)")
                    count += 1
                }
            }
        }
        #expect(count > Self.files && refused > Self.files, "\(count), \(refused)")
    }

    /// What a release manager can ask of devices, and a device that meets it.
    private static func conditions() throws -> [(rollout: Rollout, policy: ClientPolicy, device: DeviceFacts)] {
        func device(_ id: String = "d1") -> DeviceFacts {
            DeviceFacts(
                deviceID: id, appVersion: try? AppVersion("3.2.0"), platform: "linux", tags: ["tier": "gold"],
                osVersion: try? AppVersion("17.4"), locale: "de-AT", region: "AT", model: "iPhone14,2",
                network: .unmetered, groups: ["testers"])
        }
        var all: [(Rollout, ClientPolicy, DeviceFacts)] = try [
            "platform=linux", "app>=3.2", "os>=17", "locale=de", "region=AT", "model=iPhone14*", "network=unmetered",
            "tag.tier=gold", "group=testers", "device=d1", "device!=d2", "platform=linux; region=AT",
        ].map { (Rollout(audiences: [try Audience($0)]), .standard, device()) }
        all.append(
            (Rollout(audiences: [try Audience("platform=ios"), try Audience("region=AT")]), .standard, device()))
        // Less than a percent, and an audience within a share.
        all.append((Rollout(share: try Share("0.99")), .standard, device()))
        all.append((Rollout(share: try Share("60"), audiences: [try Audience("region=AT")]), .standard, device()))
        for policy in [
            try ClientPolicy(network: .unmetered), try ClientPolicy(window: LocalWindow("mon-fri 22:00-05:00")),
        ] { all.append((.everyone, policy, device())) }
        return all
    }

    @Test func `each condition, share and policy of a registry of today keeps earlier devices at what all get`()
        async throws
    {
        let shop = try await Shop()
        try await shop.publisher().publish(["1.0.0", "1.1.0"].map { try shop.page($0).zip })
        _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
        let salt = String(repeating: "0", count: 32)
        let group = try DeviceGroup(name: "testers", salt: salt, devices: [DeviceGroup.hash(of: "d1", salt: salt)])
        _ = try await shop.registry.change(.group(group), on: channel())
        _ = try await shop.registry.change(
            .offer(version("1.1.0"), Rollout(percent: 0)), of: package(), on: channel())
        let earlier = (0..<300).map { EarlierDevice(id: "d\($0)", app: try? SemanticVersion("3.2.0")) }
        func versions(_ bytes: [UInt8]) throws -> Set<String?> {
            Set(try earlier.map { try $0.taken(from: bytes)["checkout"]?.version })
        }
        for (rollout, policy, device) in try Self.conditions() {
            _ = try await shop.registry.change(
                .setRollout(rollout.share, audiences: rollout.audiences, policy: policy, of: version("1.1.0")),
                of: package(), on: channel())
            let signed = try shop.device()
            let old = try await signed.target(EarlierDevice.target, maximumByteCount: 1 << 20)
            #expect(try versions(old) == ["1.0.0"], "\(rollout) \(policy)")
            let new = try await signed.target("channels/beta.v2.json", maximumByteCount: 1 << 20)
            #expect(throws: EarlierDevice.UnsupportedFormat(found: 2)) { try versions(new) }
            // It is offered, to whom it is for.
            let file = try ChannelFile(parsing: new)
            let releases = try #require(file.packages[try package()]?.releases)
            let ids = rollout.share == .whole ? [device.deviceID] : (0..<2_000).map { "d\($0)" }
            let taken = try ids.contains { id in
                let facts = DeviceFacts(
                    deviceID: id, appVersion: device.appVersion, platform: device.platform, tags: device.tags,
                    osVersion: device.osVersion, locale: device.locale, region: device.region, model: device.model,
                    network: device.network, groups: device.groups)
                let decision = try RolloutDecision(
                    app: file.app, package: package(), releases: releases, device: facts)
                return decision.release?.version?.description == "1.1.0"
            }
            #expect(taken, "\(rollout) \(policy)")
        }
        _ = try await shop.registry.change(
            .setRollout(.whole, audiences: [], policy: .standard, of: version("1.1.0")), of: package(), on: channel())
        let all = try await shop.device().target(EarlierDevice.target, maximumByteCount: 1 << 20)
        #expect(try versions(all) == ["1.1.0"])
    }

    @Test func `a set reaches earlier devices whole, and only when all devices get it`() async throws {
        let shop = try await Shop()
        let zips = try ["1.0.0", "1.1.0"].flatMap { version in
            try ["checkout", "cart"].map { try shop.page(version, package: $0).zip }
        }
        try await shop.publisher().publish(zips)
        func set(_ text: String) throws -> [PackageID: SemanticVersion] {
            try [package(): version(text), package("cart"): version(text)]
        }
        _ = try await shop.registry.release(ReleaseSet(versions: set("1.0.0")), on: channel())
        for percent in [0, 1, 50, 99, 100] {
            if percent == 0 {
                _ = try await shop.registry.release(
                    ReleaseSet(versions: set("1.1.0"), rollout: Rollout(percent: 0)), on: channel())
            } else {
                _ = try await shop.registry.change(
                    .setRollout(Share(percent: percent)), of: package(), on: channel())
            }
            let bytes = try await shop.device().target(EarlierDevice.target, maximumByteCount: 1 << 20)
            for number in 0..<100 {
                let taken = try EarlierDevice(id: "d\(number)").taken(from: bytes).mapValues(\.version)
                let expected = percent == 100 ? "1.1.0" : "1.0.0"
                #expect(taken == ["checkout": expected, "cart": expected], "\(percent) %")
            }
        }
    }
}
