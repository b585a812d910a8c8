import Foundation
import PackFormat
import PackUpdaterOnline
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackUpdater

/// Devices of today at a registry of packtool 0.1.0, before and after it is migrated.
struct EarlierRegistryTests {
    /// A device of today, with its own store and trust.
    private struct Device {
        let id: String
        let configuration: UpdaterConfiguration

        init(_ id: String, at earlier: EarlierRegistry) throws {
            self.id = id
            var configuration = UpdaterConfiguration(
                store: earlier.folder.url.appending(path: "device-\(id)"), base: earlier.view, channel: try channel(),
                root: try earlier.root)
            configuration.deviceID = id
            configuration.platform = "linux"
            configuration.activation = .atOnce
            configuration.now = { EarlierRegistry.now }
            self.configuration = configuration
        }

        /// Updates, and tells what it has of each package then.
        func update() async throws -> [String: String] {
            let updater = try Updater(configuration, transport: FolderTransport(folder: configuration.base)) {
                layout, root, transport, now in
                try TrustedTargets(layout: layout, root: root, transport: transport, channel: channel(), now: now)
            }
            _ = try await updater.update()
            let state = try DeviceStore(folder: configuration.store).state()
            var versions: [String: String] = [:]
            for name in ["alpha", "beta"] {
                versions[name] = try state[PackageID(name)].active?.id.version.description
            }
            return versions
        }
    }

    /// The channel file that earlier devices read, verified from the root of then.
    private func channelFile(_ earlier: EarlierRegistry) async throws -> [UInt8] {
        let folder = earlier.folder.url.appending(path: "trust-\(UUID().uuidString)")
        let targets = try TrustedTargets(
            layout: StoreLayout(folder: folder), root: earlier.root, transport: FolderTransport(folder: earlier.view),
            channel: channel(), now: { EarlierRegistry.now })
        try await targets.refresh()
        return try await targets.target(EarlierDevice.target, maximumByteCount: 1 << 20)
    }

    /// Each device of today decides as an earlier one with its id.
    private func expectAgreement(_ bytes: [UInt8]) throws {
        let file = try ChannelFile(parsing: bytes)
        var counts: [String?: Int] = [:]
        for number in 0..<2_000 {
            let earlier = try EarlierDevice(id: "d\(number)").taken(from: bytes)
            for (package, content) in file.packages {
                let decision = RolloutDecision(
                    app: file.app, package: package, releases: content.releases,
                    device: DeviceFacts(deviceID: "d\(number)", platform: "linux"))
                #expect(decision.release?.id == earlier[package.text]?.id)
                counts[decision.release?.version?.description, default: 0] += 1
            }
        }
        // alpha 1.2.0 for all; beta 1.3.0 for nine of ten, and 1.1.0 for three of ten of the others.
        #expect(counts["1.2.0"] == 2_000, "\(counts)")
        #expect((1_740...1_860).contains(counts["1.3.0"] ?? 0), "\(counts)")
        #expect((30...100).contains(counts["1.1.0"] ?? 0), "\(counts)")
    }

    @Test func `devices of today take from a registry of 0_1_0 what earlier ones take, and keep it over its migration`()
        async throws
    {
        let earlier = try EarlierRegistry()
        let before = try earlier.content()
        let old = try await channelFile(earlier)
        try expectAgreement(old)
        let devices = try (0..<6).map { try Device("d\($0)", at: earlier) }
        func expectSame(_ bytes: [UInt8]) async throws {
            for device in devices {
                let taken = try EarlierDevice(id: device.id).taken(from: bytes).compactMapValues(\.version)
                #expect(try await device.update() == taken, "\(device.id)")
            }
        }
        try await expectSame(old)
        #expect(try earlier.content() == before, "a device only reads")

        let local = try await LocalRegistry.open(earlier.registry, clock: { EarlierRegistry.now })
        let migrated = try await channelFile(earlier)
        try expectAgreement(migrated)
        try await expectSame(migrated)

        // A release for some devices: those of today take it, and earlier ones do not see it.
        let registry = local.registry(as: .local(user: "ann"))
        try await earlier.publish(Site.page("1.4.0", package: "alpha", in: earlier.folder), over: registry)
        let linux = Rollout(audiences: [try Audience("platform=linux")])
        _ = try await registry.change(.offer(version("1.4.0"), linux), of: package("alpha"), on: channel())
        let conditional = try await channelFile(earlier)
        for number in 0..<300 {
            let taken = try EarlierDevice(id: "d\(number)").taken(from: conditional)
            #expect(try taken == EarlierDevice(id: "d\(number)").taken(from: migrated))
        }
        for device in devices { #expect(try await device.update()["alpha"] == "1.4.0") }

        // And one for everybody.
        _ = try await registry.change(
            .setRollout(.whole, audiences: [], of: version("1.4.0")), of: package("alpha"), on: channel())
        let whole = try await channelFile(earlier)
        for number in 0..<300 {
            #expect(try EarlierDevice(id: "d\(number)").taken(from: whole)["alpha"]?.version == "1.4.0")
        }
        try await expectSame(whole)
    }

    @Test func `a migration that ended after its rows is completed by the next command`() async throws {
        let (whole, broken) = try (EarlierRegistry(), EarlierRegistry())
        let overview = try await LocalRegistry.open(whole.registry, clock: { EarlierRegistry.now })
            .registry(as: .local(user: "ann")).overview()
        // Killed after the rows were migrated: nothing of the view is new yet.
        _ = try SQLiteDatabase(RegistryFolder(broken.registry))
        #expect(
            try broken.content().filter { $0.key.hasPrefix("view/") }
                == EarlierRegistry().content().filter { $0.key.hasPrefix("view/") })
        let next = try await LocalRegistry.open(broken.registry, clock: { EarlierRegistry.now })
        #expect(try await next.registry(as: .local(user: "ann")).overview() == overview)
        try expectAgreement(await channelFile(broken))
    }
}
