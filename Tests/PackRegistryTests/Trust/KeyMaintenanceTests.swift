import Foundation
import PackFormat
import PackTrust
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// Keys are replaced and revoked while devices with the first root go on.
struct KeyMaintenanceTests {
    private struct Keys {
        let root: any Signer
        let owner: any Signer
        let publisher: any Signer
    }

    private func published() async throws -> (shop: Shop, keys: Keys, maintenance: KeyMaintenance) {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip, shop.page("1.0.0", package: "help").zip])
        _ = try await shop.registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
        let folder = KeyFolder(folder: shop.project.keys)
        let keys = try Keys(
            root: #require(try folder.signer(.root)), owner: #require(try folder.signer(.owner)),
            publisher: #require(try folder.signer(.publisher)))
        let clock = shop.clock
        let maintenance = KeyMaintenance(
            registry: shop.registry, trust: try shop.trust(over: shop.registry), now: { clock.now })
        return (shop, keys, maintenance)
    }

    private func publish(_ text: String, _ shop: Shop, _ publisher: any Signer, owner: (any Signer)? = nil) async throws
    {
        let keys = SigningKeys(publisher: [publisher], owner: [owner].compactMap(\.self))
        let clock = shop.clock
        let trust = try shop.trust(over: shop.registry)
        let client = Publisher(registry: shop.registry, trust: trust, keys: keys, now: { clock.now })
        try await client.publish([shop.page(text).zip])
    }

    private func expectReadable(_ shop: Shop) async throws {
        let device = try shop.device()
        #expect(try await device.targetInfo("manifests/checkout/1.0.0.json") != nil)
        #expect(try await device.targetInfo("manifests/help/1.0.0.json") != nil)
        #expect(try await shop.releases() == ["1.0.0@100"])
    }

    @Test func `after a rotation of the publisher's key only the new one publishes`() async throws {
        let (shop, keys, maintenance) = try await published()
        let new = try PrivateKey.generate(.ecdsa)
        let packages = try await maintenance.rotatePublisher(
            from: keys.publisher.publicKey, to: new, owner: [keys.owner])
        #expect(packages.map(\.text) == ["checkout", "help"])
        try await expectReadable(shop)
        let old = await #expect(throws: RegistryError.self) { try await publish("1.1.0", shop, keys.publisher) }
        #expect(old?.kind == .forbidden)
        try await publish("1.1.0", shop, new)
    }

    @Test func `a revoked key publishes no more, and what it signed stays`() async throws {
        let (shop, keys, maintenance) = try await published()
        let last = await #expect(throws: RegistryError.self) {
            try await maintenance.revoke(
                keyID: keys.publisher.publicKey.id, package: nil, owner: [keys.owner], publisher: [])
        }
        #expect(last?.message.contains("the only key") == true)
        let colleague = try PrivateKey.generate(.ed25519)
        for name in ["checkout", "help"] {
            #expect(try await maintenance.delegate(package(name), to: [colleague.publicKey], owner: [keys.owner]))
        }
        #expect(try await maintenance.delegate(package(), to: [colleague.publicKey], owner: [keys.owner]) == false)
        // Nobody is there to sign the packages again: nothing changes.
        let unsigned = await #expect(throws: RegistryError.self) {
            try await maintenance.revoke(
                keyID: keys.publisher.publicKey.id, package: nil, owner: [keys.owner], publisher: [])
        }
        #expect(unsigned?.kind == .forbidden)
        try await publish("1.0.1", shop, keys.publisher)
        let packages = try await maintenance.revoke(
            keyID: keys.publisher.publicKey.id, package: nil, owner: [keys.owner], publisher: [colleague])
        #expect(packages.count == 2)
        try await expectReadable(shop)
        await #expect(throws: RegistryError.self) { try await publish("1.1.0", shop, keys.publisher) }
        try await publish("1.1.0", shop, colleague)
    }

    @Test func `root, owner and online keys are replaced and old devices follow`() async throws {
        let (shop, keys, maintenance) = try await published()
        let newRoot = try PrivateKey.generate(.ed25519)
        try await maintenance.rotateRoot(from: keys.root, to: newRoot)
        try await expectReadable(shop)
        let newOwner = try PrivateKey.generate(.ed25519)
        try await maintenance.rotateOwner(from: keys.owner, to: newOwner, root: [newRoot])
        try await expectReadable(shop)
        let online = try await maintenance.rotateOnline(of: shop.local, root: [newRoot], owner: [newOwner])
        try await expectReadable(shop)
        #expect(try OnlineKeys.load(from: shop.local.files).keys.map(\.publicKey.id) == [online.id])
        _ = try await shop.registry.change(.rollBackToEmbedded, of: package(), on: channel())
        #expect(try await shop.releases() == ["embedded@100"])
        let old = await #expect(throws: (any Error).self) {
            try await maintenance.rotateRoot(from: keys.root, to: keys.root)
        }
        #expect(old != nil)
    }

    @Test func `the online keys are renewed long before anything expires`() async throws {
        let (shop, _, _) = try await published()
        let before = try shop.viewListing
        try await shop.local.maintain()
        #expect(try shop.viewListing.subtracting(before).filter { $0.hasPrefix("metadata/") } == [])
        shop.clock.advance(days: 5)
        try await shop.local.maintain()
        shop.clock.advance(days: 5)
        try await expectReadable(shop)
        shop.clock.advance(days: 60)
        await #expect(throws: TrustError.self) { try await shop.device().refresh() }
        try await shop.local.maintain()
        try await expectReadable(shop)
    }

    @Test func `a key is not dropped while a package stands that only it signed`() async throws {
        let (shop, keys, maintenance) = try await published()
        let colleague = try PrivateKey.generate(.ed25519)
        _ = try await maintenance.delegate(package(), to: [colleague.publicKey], owner: [keys.owner])
        // As when somebody publishes with the old key between the steps of a rotation.
        try await publish("1.0.1", shop, keys.publisher)
        let (_, targets) = try await maintenance.current()
        let dropping = try targets.revised(
            expires: shop.clock.now.addingTimeInterval(86_400), signers: [keys.owner]
        ) { try $0.setPublishers([colleague.publicKey], of: package()) }
        let error = await #expect(throws: RegistryError.self) {
            try await shop.registry.submit(metadata: dropping.bytes, role: "targets")
        }
        #expect(error?.kind == .conflict)
        #expect(error?.message.contains("package.checkout") == true)
        try await expectReadable(shop)
    }
}
