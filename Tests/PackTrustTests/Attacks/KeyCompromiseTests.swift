import Foundation
import PackTrust
import Testing

struct KeyCompromiseTests {
    @Test(arguments: [TopLevelRole.timestamp, .snapshot, .targets])
    func `a role below its threshold is refused`(role: TopLevelRole) async throws {
        let device = try TrustFixture()
        try device.repository.rotateKeys(of: role, count: 3)
        device.repository.signers[role.rawValue]?.removeLast()
        try device.repository.publishNext()
        try await device.expectRefusal(.threshold(role: role.rawValue, valid: 2, needed: 3))
    }

    @Test(arguments: [TopLevelRole.timestamp, .snapshot, .targets])
    func `arbitrary installation: a role signed by a stranger is refused`(role: TopLevelRole) async throws {
        let device = try TrustFixture()
        try await device.refresh()
        let honest = device.repository
        device.repository.signers[role.rawValue] = [try PrivateKey.generate(.ecdsa)]
        try device.repository.publishNext()
        try await device.expectRefusal(.threshold(role: role.rawValue, valid: 0, needed: 1))
        if role == .timestamp {
            device.repository = honest
            try await device.refresh()
        }
    }

    @Test func `a stolen online key cannot show a new device a role below the least version that counts`() async throws
    {
        let device = try TrustFixture()
        try device.repository.delegate(to: "package.shop", paths: ["manifests/shop/*"])
        device.repository.add("manifests/shop/1.json", "withdrawn later", to: "package.shop")
        try device.repository.publish()
        let before = device.repository
        device.repository.delegated["package.shop"]?.targets = [:]
        device.repository.delegated["package.shop"]?.version = 2
        try device.repository.publishNext { try $0.requireVersion(2, of: "package.shop") }
        let honest = device.repository
        // The thief lets the snapshot name the first version again.
        device.repository.delegated = before.delegated
        try device.repository.publishNext()
        await #expect(throws: TrustError.belowMinimum(role: "package.shop", found: 1, minimum: 2)) {
            try await device.targetInfo("manifests/shop/1.json")
        }
        // Other keys for the package are no reason to believe it again.
        let again = try PrivateKey.generate(.ed25519)
        device.repository.signers["package.shop"] = [again]
        try device.repository.delegate(to: "package.shop", paths: ["manifests/shop/*"], key: again)
        try device.repository.publishNext()
        await #expect(throws: TrustError.belowMinimum(role: "package.shop", found: 1, minimum: 2)) {
            try await device.targetInfo("manifests/shop/1.json")
        }
        let other = try TrustFixture()
        other.repository = honest
        try TrustClient.initialize(other.store, trustedRoot: honest.files["metadata/1.root.json"] ?? [])
        #expect(try await other.targetInfo("manifests/shop/1.json") == nil)
    }

    @Test(arguments: [TopLevelRole.timestamp, .snapshot, .targets])
    func `an unsigned role is refused`(role: TopLevelRole) async throws {
        let device = try TrustFixture()
        device.repository.signers[role.rawValue] = []
        try device.repository.publish()
        try await device.expectRefusal(.threshold(role: role.rawValue, valid: 0, needed: 1))
    }

    @Test func `one key under two ids counts once`() async throws {
        let device = try TrustFixture()
        let key = try PrivateKey.generate(.ecdsa)
        // The same point, written with another line break: another value, another id, one key.
        let twin = try PublicKey(
            scheme: .ecdsa, value: key.publicKey.value.trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(twin.id != key.publicKey.id)
        try device.repository.nextRoot { $0.setKeys([key.publicKey, twin], threshold: 2, for: .snapshot) }
        device.repository.signers["snapshot"] = []
        let body = device.repository.snapshot
        let once = try SignedDocument(unsigned: body).signed(by: key)
        let both = try once.signed(by: TwinSigner(publicKey: twin, key: key))
        #expect(both.signatures.count == 2)
        device.repository.files["metadata/1.snapshot.json"] = both.bytes
        device.repository.timestamp.snapshot = both.metaFile
        try device.repository.publishTimestamp()
        try await device.expectRefusal(.threshold(role: "snapshot", valid: 1, needed: 2))
    }

    @Test func `invalid signatures and strangers' signatures beyond the threshold do no harm`() async throws {
        let device = try TrustFixture()
        let honest = try #require(device.repository.signers["targets"]?.first)
        let silent = try PrivateKey.generate(.ed25519)
        try device.repository.nextRoot { $0.setKeys([honest.publicKey, silent.publicKey], for: .targets) }
        device.repository.signers["targets"] = [honest, try PrivateKey.generate(.ecdsa)]
        try device.repository.publishNext()
        let text = String(decoding: try #require(device.repository.files["metadata/2.targets.json"]), as: UTF8.self)
        let bent = text.replacingOccurrences(
            of: "\"signatures\":[", with: "\"signatures\":[{\"keyid\":\"\(silent.publicKey.id)\",\"sig\":\"\"},")
        try device.serve(targets: Array(bent.utf8), version: 2)
        try await device.refresh()
        #expect(try device.version("targets") == 2)
    }

    @Test func `a key of one package cannot sign another's role`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "package.a", paths: ["manifests/a/*"])
        try device.repository.delegate(to: "package.b", paths: ["manifests/b/*"])
        device.repository.add("manifests/b/1.json", "evil", to: "package.b")
        device.repository.signers["package.b"] = device.repository.signers["package.a"]
        try device.repository.publishNext()
        await #expect(throws: TrustError.threshold(role: "package.b", valid: 0, needed: 1)) {
            try await device.targetInfo("manifests/b/1.json")
        }
    }

    @Test func `a key of one package cannot list another's paths`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "package.a", paths: ["manifests/a/*"])
        try device.repository.delegate(to: "package.b", paths: ["manifests/b/*"])
        device.repository.add("manifests/b/1.json", "evil", to: "package.a")
        try device.repository.publishNext()
        #expect(try await device.targetInfo("manifests/b/1.json") == nil)
        #expect(device.server.takeRequests().contains("metadata/1.package.a.json") == false)
    }

    @Test func `a stolen online key cannot bring in a target`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "package.a", paths: ["manifests/a/*"])
        try device.repository.publishNext()
        try await device.refresh()
        // The thief holds timestamp and snapshot, and serves a package role signed with them.
        device.repository.signers["package.a"] = device.repository.signers["snapshot"]
        device.repository.add("manifests/a/9.json", "evil", to: "package.a")
        device.repository.delegated["package.a"]?.version = 2
        try device.repository.publishNext()
        await #expect(throws: TrustError.threshold(role: "package.a", valid: 0, needed: 1)) {
            try await device.targetInfo("manifests/a/9.json")
        }
    }

    @Test func `a version that its publisher withdrew is not found, whatever a channel says`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "package.a", paths: ["manifests/a/*"])
        device.repository.add("manifests/a/1.json", "good", to: "package.a")
        try device.repository.publishNext()
        #expect(try await device.targetInfo("manifests/a/1.json") != nil)
        device.repository.delegated["package.a"]?.targets["manifests/a/1.json"] = nil
        device.repository.delegated["package.a"]?.version = 2
        try device.repository.publishNext()
        #expect(try await device.targetInfo("manifests/a/1.json") == nil)
    }
}
