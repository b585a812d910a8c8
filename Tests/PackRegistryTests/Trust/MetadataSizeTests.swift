import Foundation
import PackFormat
import PackTrust
import Synchronization
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What the signed metadata of a large app costs a device that uses a few of its packages.
struct MetadataSizeTests {
    private static let packages = 100
    private static let versions = 50

    /// Reads the view, and counts what a server would send.
    private final class CountingTransport: TrustTransport {
        private let inner: RegistryTransport
        private let counted = Mutex((requests: 0, bytes: 0))

        init(_ registry: any RegistryReading) { inner = RegistryTransport(registry: registry) }

        func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
            let bytes = try await inner.fetch(path, maximumByteCount: maximumByteCount)
            counted.withLock { $0 = ($0.requests + 1, $0.bytes + (bytes?.count ?? 0)) }
            return bytes
        }

        func take() -> (requests: Int, bytes: Int) {
            counted.withLock { counted in
                defer { counted = (0, 0) }
                return counted
            }
        }
    }

    private static func id(_ number: Int) throws -> PackageID { try PackageID("package-\(number)") }

    private static func manifest(_ package: PackageID, _ version: String) throws -> SealedManifest {
        let digest = Digest(of: Array("\(package) \(version)".utf8)).hex
        let text =
            "{\"entry\":\"index.html\",\"files\":{\"index.html\":{\"sha256\":\"\(digest)\",\"size\":10}},\"format\":1,"
            + "\"package\":\"\(package)\",\"version\":\"\(version)\"}"
        return try SealedManifest(parsing: Array(text.utf8))
    }

    /// A registry in which 100 teams, each with a key of its own, have published 50 versions, the newest to a fifth of the
    /// devices.
    private static func largeShop() async throws -> (shop: Shop, key: PrivateKey) {
        let shop = try await Shop()
        let now = shop.clock.now
        let keys = try (0..<packages).map { _ in try PrivateKey.generate(.ed25519) }
        let owner = try shop.keys().owner
        try await shop.record { changes, facts in
            let targets: SignedDocument<TargetsMetadata> = try facts.required("targets")
            changes.put(
                try targets.revised(signers: owner) { body in
                    for (number, key) in keys.enumerated() {
                        try body.setPublishers([key.publicKey], of: id(number))
                    }
                }, as: "targets")
            var file = ChannelFile(app: "shop", channel: try ChannelName("stable"), packages: [:])
            for (number, key) in keys.enumerated() {
                var role = TargetsMetadata(expires: now + MetadataLifetime.package)
                for version in 0..<versions {
                    try add(
                        "1.\(version).0", of: id(number), to: &role, &file, &changes,
                        percent: version == versions - 2 ? 100 : version == versions - 1 ? 20 : nil)
                }
                let signed = try SignedDocument(unsigned: role).signed(by: key)
                changes.put(signed, as: ViewLayout.role(of: try id(number)))
            }
            changes.channelFiles = [file]
        }
        return (shop, keys[0])
    }

    private static func add(
        _ text: String, of package: PackageID, to role: inout TargetsMetadata, _ file: inout ChannelFile,
        _ changes: inout ChangeSet, percent: Int?
    ) throws {
        let sealed = try manifest(package, text)
        let manifest = sealed.manifest
        role.targets[ViewLayout.manifestTarget(package, manifest.version)] = TargetInfo(of: sealed.bytes)
        // What no channel offers stands in the role only: nothing else of it is metadata.
        guard let percent else { return }
        changes.uploads.append(sealed)
        changes.publications.append(ChangeSet.Publication(version: sealed.name, manifest: sealed.digest))
        let release = try Release(
            id: "\(manifest.version.major)-\(manifest.version.minor)-\(package)",
            offer: .version(manifest.version, manifest: sealed.digest),
            rollout: Rollout(percent: percent))
        changes.releases.append(
            ChangeSet.Releases(package: package, channel: file.channel, steps: [.add(release)]))
        var packages = file.packages
        let hidden = percent == 100 ? [] : packages[package]?.releases ?? []
        packages[package] = ChannelFile.Package(releases: [release] + hidden)
        file = ChannelFile(app: file.app, channel: file.channel, packages: packages)
    }

    /// One check of a device that uses three packages.
    private static func check(_ client: TrustClient) async throws {
        try await client.refresh()
        let target = ViewLayout.channelTarget(try ChannelName("stable"))
        let channel = try ChannelFile(parsing: try await client.target(target, maximumByteCount: 1 << 24))
        for number in [0, 1, 2] {
            let version = try #require(channel.packages[id(number)]?.releases.first?.version)
            _ = try #require(try await client.targetInfo(ViewLayout.manifestTarget(id(number), version)))
        }
    }

    @Test func `a change in an app of 100 packages and 5,000 versions costs a device at most 60 KB`() async throws {
        let (shop, key) = try await Self.largeShop()
        let transport = CountingTransport(shop.registry)
        let folder = shop.folder.url.appending(path: "device")
        let root = Array(try Data(contentsOf: shop.project.root))
        func device() throws -> TrustClient {
            let now = shop.clock.now
            return TrustClient(
                store: try FolderTrustStore(folder: folder), transport: transport, trustedRoot: root, now: { now })
        }
        try await Self.check(device())
        let first = transport.take()
        #expect(first.requests <= 10)
        let role = ViewLayout.role(of: try Self.id(0))
        let stable = try await shop.channel("stable")
        try await shop.record(roles: [role]) { changes, facts in
            let current: SignedDocument<TargetsMetadata> = try facts.required(role)
            var file = stable
            let revised = try current.revised(signers: [key]) { role in
                try Self.add("2.0.0", of: Self.id(0), to: &role, &file, &changes, percent: 20)
            }
            changes.put(revised, as: role)
            changes.channelFiles = [file]
        }
        try await Self.check(device())
        let change = transport.take()
        #expect(change.bytes <= 60_000, "\(change)")
        print("metadata of 3 of 100 packages with 50 versions each: a change \(change), a fresh device \(first)")
        #expect(first.bytes <= 150_000, "\(first)")
    }
}
