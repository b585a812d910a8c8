import Foundation
import PackTrust
import Testing

struct RootTests {
    /// One version of the root: which of ten keys it names, how many must sign, which do sign.
    struct RootVersion: Sendable {
        var keys: [Int]
        var threshold: Int
        var signedBy: [Int]
        var isAccepted = true
    }

    static let rotations: [(String, [RootVersion])] = [
        (
            "one key is exchanged",
            [
                .init(keys: [1], threshold: 1, signedBy: [1]), .init(keys: [2], threshold: 1, signedBy: [2, 1]),
                .init(keys: [2], threshold: 1, signedBy: [2]),
            ]
        ),
        (
            "strangers' signatures do no harm",
            [
                .init(keys: [1], threshold: 1, signedBy: [3, 1, 4]),
                .init(keys: [2], threshold: 1, signedBy: [3, 2, 1, 4]),
                .init(keys: [2], threshold: 1, signedBy: [3, 2, 4]),
            ]
        ),
        (
            "any three of five sign",
            [
                .init(keys: [0, 1, 2, 3, 4], threshold: 3, signedBy: [0, 2, 4]),
                .init(keys: [0, 1, 2, 3, 4], threshold: 3, signedBy: [0, 4, 1]),
                .init(keys: [0, 1, 2, 3, 4], threshold: 3, signedBy: [0, 1, 3]),
            ]
        ),
        (
            "one of five is exchanged",
            [
                .init(keys: [0, 1, 2, 3, 4], threshold: 3, signedBy: [0, 2, 4]),
                .init(keys: [0, 1, 3, 4, 5], threshold: 3, signedBy: [0, 4, 1]),
            ]
        ),
        (
            "all five are exchanged",
            [
                .init(keys: [0, 1, 2, 3, 4], threshold: 3, signedBy: [0, 2, 4]),
                .init(keys: [5, 6, 7, 8, 9], threshold: 3, signedBy: [0, 2, 4, 5, 6, 7]),
                .init(keys: [5, 6, 7, 8, 9], threshold: 3, signedBy: [5, 6, 7]),
            ]
        ),
        (
            "the threshold rises",
            [
                .init(keys: [1, 2, 3], threshold: 1, signedBy: [1]),
                .init(keys: [1, 2, 3], threshold: 2, signedBy: [1, 2]),
            ]
        ),
        (
            "the threshold falls",
            [
                .init(keys: [1, 2, 3], threshold: 2, signedBy: [1, 2]),
                .init(keys: [1, 2, 3], threshold: 1, signedBy: [1, 2]),
                .init(keys: [1, 2, 3], threshold: 1, signedBy: [1]),
            ]
        ),
        (
            "not signed with the old key",
            [
                .init(keys: [1], threshold: 1, signedBy: [1]),
                .init(keys: [2], threshold: 1, signedBy: [2, 3, 4], isAccepted: false),
            ]
        ),
        (
            "not signed with the new key",
            [
                .init(keys: [1], threshold: 1, signedBy: [1]),
                .init(keys: [2], threshold: 1, signedBy: [1, 3, 4], isAccepted: false),
            ]
        ),
        (
            "too few of the new keys",
            [
                .init(keys: [0, 1, 2, 3, 4], threshold: 3, signedBy: [0, 2, 4]),
                .init(keys: [0, 1, 3, 4, 5], threshold: 3, signedBy: [0, 2, 4], isAccepted: false),
            ]
        ),
        (
            "too few of the old keys",
            [
                .init(keys: [0, 1, 2, 3, 4], threshold: 3, signedBy: [0, 2, 4]),
                .init(keys: [0, 1, 3, 4, 5], threshold: 3, signedBy: [0, 4, 5], isAccepted: false),
            ]
        ),
        (
            "the risen threshold is not met",
            [
                .init(keys: [1, 2, 3], threshold: 1, signedBy: [1]),
                .init(keys: [1, 2, 3], threshold: 2, signedBy: [2], isAccepted: false),
            ]
        ),
        (
            "the old threshold is not met",
            [
                .init(keys: [1, 2, 3], threshold: 2, signedBy: [1, 2]),
                .init(keys: [1, 2, 3], threshold: 1, signedBy: [1], isAccepted: false),
            ]
        ),
    ]

    @Test(arguments: rotations)
    func `a chain of roots is followed as far as each link is signed by both ends`(
        name: String, versions: [RootVersion]
    ) async throws {
        let device = try TrustFixture()
        let keys = try (0..<10).map { _ in try PrivateKey.generate(.ed25519) }
        device.repository.root.version = 0
        var accepted: [UInt8] = []
        for version in versions {
            device.repository.signers["root"] = version.signedBy.map { keys[$0] }
            try device.repository.nextRoot {
                $0.setKeys(version.keys.map { keys[$0].publicKey }, threshold: version.threshold, for: .root)
            }
            let path = "metadata/\(device.repository.root.version).root.json"
            if version.isAccepted { accepted = try #require(device.repository.files[path]) }
        }
        try TrustClient.initialize(
            device.store, trustedRoot: try #require(device.repository.files["metadata/1.root.json"]))
        if versions.allSatisfy(\.isAccepted) {
            try await device.refresh()
        } else {
            await #expect(throws: TrustError.self) { try await device.refresh() }
        }
        #expect(device.store.files["root.json"] == accepted, "\(name)")
    }

    @Test(arguments: [1, 3])
    func `a root that is not exactly the next version is refused`(version: Int) async throws {
        let device = try TrustFixture()
        device.repository.root.version = version
        let bytes = try device.repository.signed(device.repository.root, as: "root").bytes
        device.repository.files["metadata/2.root.json"] = bytes
        try await device.expectRefusal(.wrongVersion(role: "root", found: version, wanted: 2))
        #expect(try device.version("root") == 1)
    }

    @Test func `each root is stored before the next is asked for`() async throws {
        let device = try TrustFixture()
        try device.repository.nextRoot()
        try device.repository.nextRoot()
        device.server.cut("metadata/4.root.json")
        await #expect(throws: TrustError.self) { try await device.refresh() }
        #expect(try device.version("root") == 3)
    }

    @Test func `the cap on root rotations ends one refresh and the next goes on`() async throws {
        let device = try TrustFixture()
        device.limits.rootRotations = 4
        for _ in 0..<6 { try device.repository.nextRoot() }
        try await device.refresh()
        #expect(try device.version("root") == 5)
        #expect(device.server.takeRequests().count { $0.hasSuffix("root.json") } == 4)
        try await device.refresh()
        #expect(try device.version("root") == 7)
    }

    @Test func `a start from a root that is not signed by itself asks nothing of the network`() async throws {
        let device = try TrustFixture()
        let stranger = try PrivateKey.generate(.ed25519)
        let bent = try SignedDocument(unsigned: device.repository.root).signed(by: stranger)
        device.store.files["root.json"] = bent.bytes
        await #expect(throws: TrustError.self) { try await device.refresh() }
        #expect(device.server.takeRequests() == [])
        #expect(throws: TrustError.threshold(role: "root", valid: 0, needed: 1)) {
            try TrustClient.initialize(device.store, trustedRoot: bent.bytes)
        }
    }

    @Test func `a start without any root asks nothing of the network`() async throws {
        let device = try TrustFixture()
        device.store.files = [:]
        try await device.expectRefusal(.noTrustedRoot(reason: "root.json is not in the store"))
        #expect(device.server.takeRequests() == [])
    }

    @Test func `a role that the root gives keys which it does not list cannot be signed`() async throws {
        let device = try TrustFixture()
        let path = "metadata/2.root.json"
        let ghost = try PrivateKey.generate(.ed25519)
        device.repository.root.version = 2
        let text = String(
            decoding: try device.repository.signed(device.repository.root, as: "root").signedBytes, as: UTF8.self)
        let known = try #require(device.repository.signers["timestamp"]?.first?.publicKey.id)
        // Only in the role, the key itself is not there.
        let bent = text.replacingOccurrences(
            of: "\"keyids\":[\"\(known)\"]", with: "\"keyids\":[\"\(ghost.publicKey.id)\"]")
        let root = try SignedDocument<RootMetadata>(parsing: Array("{\"signed\":\(bent),\"signatures\":[]}".utf8))
        device.repository.files[path] = try root.signed(by: device.repository.signers["root"] ?? []).bytes
        device.repository.signers["timestamp"] = [ghost]
        try device.repository.publishTimestamp()
        try await device.expectRefusal(.threshold(role: "timestamp", valid: 0, needed: 1))
    }
}
