import Foundation
import PackTrust
import Testing

struct RollbackTests {
    @Test func `an older timestamp is refused`() async throws {
        let device = try TrustFixture()
        let old = device.repository
        try device.repository.publishNext()
        let honest = device.repository
        try await device.refresh()
        device.repository.files["metadata/timestamp.json"] = old.files["metadata/timestamp.json"]
        try await device.expectRefusal(.rollback(role: "timestamp", found: 1, trusted: 2), recoversWith: honest)
        #expect(try device.versions() == [1, 2, 2, 2])
    }

    @Test func `a timestamp with the version that is trusted is not taken, whatever it says`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        let before = device.store.files
        device.repository.timestamp.snapshot = MetaFile(version: 100)
        try device.repository.publishTimestamp()
        try await device.refresh()
        #expect(device.store.files == before)
    }

    @Test(arguments: [true, false])
    func `a newer timestamp for an older snapshot is refused`(statesHashes: Bool) async throws {
        let device = try TrustFixture(statesHashes: statesHashes)
        try device.repository.publishNext()
        try await device.refresh()
        let honest = device.repository
        device.repository.snapshot.version = 1
        device.repository.timestamp.version = 3
        try device.repository.publishSnapshot()
        try await device.expectRefusal(.rollback(role: "snapshot", found: 1, trusted: 2), recoversWith: honest)
        #expect(try device.versions() == [1, 2, 2, 2])
    }

    @Test(arguments: [true, false])
    func `a newer snapshot with older targets is refused`(statesHashes: Bool) async throws {
        let device = try TrustFixture(statesHashes: statesHashes)
        try device.repository.publishNext()
        try await device.refresh()
        let honest = device.repository
        try device.repository.publishNext { $0.version = 0 }
        try await device.expectRefusal(.rollback(role: "targets.json", found: 1, trusted: 2))
        #expect(try device.versions() == [1, 3, 2, 2])
        // Recovery is a snapshot above the refused one, as its owner would publish.
        device.repository = honest
        device.repository.snapshot.version = 3
        device.repository.timestamp.version = 3
        try device.repository.publishNext()
        try await device.refresh()
        #expect(try device.version("targets") == 3)
    }

    @Test func `an older delegated role is refused`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "role")
        device.repository.delegated["role"]?.version = 7
        try device.repository.publishNext()
        try await device.refresh()
        device.repository.delegated["role"]?.version = 6
        try device.repository.publishNext()
        try await device.expectRefusal(.rollback(role: "role.json", found: 6, trusted: 7))
    }

    @Test func `a delegated role of another version than the snapshot says is refused`() async throws {
        let device = try TrustFixture(statesHashes: false)
        try device.repository.delegate(to: "role")
        device.repository.delegated["role"]?.version = 2
        try device.repository.publishNext()
        device.repository.delegated["role"]?.version = 1
        let old = try device.repository.signed(try #require(device.repository.delegated["role"]), as: "role")
        device.repository.files["metadata/2.role.json"] = old.bytes
        await #expect(throws: TrustError.wrongVersion(role: "role", found: 1, wanted: 2)) {
            try await device.targetInfo("x")
        }
    }

    @Test func `a role that vanishes from the snapshot is refused`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "role")
        try device.repository.publishNext()
        try await device.refresh()
        device.repository.snapshot[role: "role"] = nil
        device.repository.snapshot.version += 1
        device.repository.timestamp.version += 1
        try device.repository.publishSnapshot()
        try await device.expectRefusal(.roleRemoved(role: "role.json"))
    }

    @Test func `the stored snapshot guards against going back even when it has expired`() async throws {
        let device = try TrustFixture()
        device.repository.snapshot.expires = RepositoryModel.now + RepositoryModel.day
        try device.repository.publishNext()
        try await device.refresh()
        device.now += 2 * RepositoryModel.day
        device.repository.snapshot.expires = device.now + RepositoryModel.day
        try device.repository.publishNext { $0.version = 0 }
        try await device.expectRefusal(.rollback(role: "targets.json", found: 1, trusted: 2))
    }

    @Test func `the stored timestamp guards against going back even when it has expired`() async throws {
        let device = try TrustFixture()
        device.repository.timestamp.expires = RepositoryModel.now + RepositoryModel.day
        device.repository.timestamp.version = 5
        try device.repository.publishTimestamp()
        try await device.refresh()
        device.now += 2 * RepositoryModel.day
        device.repository.timestamp.version = 4
        device.repository.timestamp.expires = device.now + RepositoryModel.day
        try device.repository.publishTimestamp()
        try await device.expectRefusal(.rollback(role: "timestamp", found: 4, trusted: 5))
    }
}
