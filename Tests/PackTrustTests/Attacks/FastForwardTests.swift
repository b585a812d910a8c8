import Foundation
import PackTrust
import Testing

/// Whoever stole an online key may have signed the highest versions there are. New keys by a new root undo it.
struct FastForwardTests {
    private func attacked() async throws -> TrustFixture {
        let device = try TrustFixture()
        device.repository.timestamp.version = Int.max - 2
        device.repository.snapshot.version = Int.max - 2
        device.repository.targets.version = Int.max - 2
        try device.repository.publishNext()
        try await device.refresh()
        #expect(try device.versions() == [1, Int.max - 1, Int.max - 1, Int.max - 1])
        return device
    }

    @Test func `a fast-forwarded timestamp is recovered by a new timestamp key`() async throws {
        let device = try await attacked()
        try device.repository.rotateKeys(of: .timestamp)
        device.repository.timestamp.version = 1
        try device.repository.publishTimestamp()
        try await device.refresh()
        #expect(try device.version("timestamp") == 1)
    }

    @Test func `fast-forwarded snapshot and targets are recovered by a new snapshot key`() async throws {
        let device = try await attacked()
        try device.repository.rotateKeys(of: .snapshot)
        device.repository.timestamp.version = 1
        device.repository.snapshot.version = 1
        device.repository.targets.version = 1
        try device.repository.publish()
        try await device.refresh()
        #expect(try device.versions() == [2, 1, 1, 1])
    }

    @Test func `one revoked key out of several is enough`() async throws {
        let device = try TrustFixture()
        let stolen = try PrivateKey.generate(.ed25519)
        let kept = try #require(device.repository.signers["timestamp"]?.first)
        try device.repository.nextRoot { $0.setKeys([kept.publicKey, stolen.publicKey], for: .timestamp) }
        device.repository.signers["timestamp"] = [kept, stolen]
        device.repository.timestamp.version = 1_000
        try device.repository.publishTimestamp()
        try await device.refresh()
        device.repository.signers["timestamp"] = [kept]
        try device.repository.nextRoot { $0.setKeys([kept.publicKey], for: .timestamp) }
        device.repository.timestamp.version = 2
        try device.repository.publishTimestamp()
        try await device.refresh()
        #expect(try device.version("timestamp") == 2)
    }

    @Test func `a key that is only added revokes nothing and forgets nothing`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        let kept = try #require(device.repository.signers["snapshot"]?.first)
        let more = try PrivateKey.generate(.ecdsa)
        try device.repository.nextRoot { $0.setKeys([kept.publicKey, more.publicKey], threshold: 2, for: .snapshot) }
        try device.repository.publishNext()
        try await device.expectRefusal(.threshold(role: "snapshot", valid: 1, needed: 2))
        #expect(try device.versions() == [2, 2, 1, 1])
    }

    @Test func `after a repository was set back, a role's version may be another text`() async throws {
        let device = try TrustFixture(statesHashes: false)
        try device.repository.delegate(to: "A")
        device.repository.add("old", "old", to: "A")
        try device.repository.publishNext()
        #expect(try await device.targetInfo("old") != nil)
        device.repository.delegated["A"]?.targets = [:]
        device.repository.add("new", "new", to: "A")
        for role in ["timestamp", "snapshot"] { try device.repository.rotateKeys(of: #require(.init(rawValue: role))) }
        // The same versions once more.
        try device.repository.publish()
        #expect(try await device.targetInfo("new") != nil)
        #expect(try await device.targetInfo("old") == nil)
    }

    @Test func `a snapshot that names the root does not make a device forget it`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        var snapshot = try #require(device.store.files["snapshot.json"].map { String(decoding: $0, as: UTF8.self) })
        snapshot.replace("\"targets.json\"", with: "\"root.json\"")
        device.store.files["snapshot.json"] = Array(snapshot.utf8)
        try device.repository.rotateKeys(of: .snapshot)
        try device.repository.publishNext()
        device.store.crash(after: 3)
        _ = try? await device.refresh()
        device.store.crash(after: nil)
        #expect(device.store.files["root.json"] != nil)
        try await device.refresh()
    }

    @Test func `a crash at any step of the recovery leaves a store that recovers`() async throws {
        for step in 0..<10 {
            let device = try await attacked()
            try device.repository.rotateKeys(of: .timestamp)
            try device.repository.rotateKeys(of: .snapshot)
            device.repository.timestamp.version = 1
            device.repository.snapshot.version = 1
            device.repository.targets.version = 1
            try device.repository.publish()
            device.store.crash(after: step)
            _ = try? await device.refresh()
            device.store.crash(after: nil)
            try await device.refresh()
            #expect(try device.versions() == [3, 1, 1, 1], "crash after \(step) changes")
        }
    }
}
