import Foundation
import PackTrust
import Testing

struct MixAndMatchTests {
    @Test func `a snapshot of another moment under the announced name is refused before its keys are looked at`()
        async throws
    {
        let device = try TrustFixture()
        try await device.refresh()
        let honest = device.repository
        try device.repository.publishNext()
        let published = device.repository
        device.repository.files["metadata/2.snapshot.json"] = honest.files["metadata/1.snapshot.json"]
        await #expect {
            try await device.refresh()
        } throws: { error in
            if case TrustError.mismatch(name: "snapshot", _) = error { true } else { false }
        }
        #expect(try device.version("snapshot") == 1)
        device.repository = published
        try await device.refresh()
        #expect(try device.version("snapshot") == 2)
    }

    @Test func `without hashes the version alone tells a snapshot of another moment`() async throws {
        let device = try TrustFixture(statesHashes: false)
        let honest = device.repository
        try device.repository.publishNext()
        device.repository.files["metadata/2.snapshot.json"] = honest.files["metadata/1.snapshot.json"]
        try await device.expectRefusal(.wrongVersion(role: "snapshot", found: 1, wanted: 2))
        #expect(device.storedNames == ["root.json", "timestamp.json"])
    }

    @Test func `targets of another moment under the announced name are refused`() async throws {
        let device = try TrustFixture(statesHashes: false)
        let honest = device.repository
        try device.repository.publishNext()
        device.repository.files["metadata/2.targets.json"] = honest.files["metadata/1.targets.json"]
        try await device.expectRefusal(.wrongVersion(role: "targets", found: 1, wanted: 2))
    }

    @Test func `targets whose hash is not the snapshot's are refused`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        try device.repository.publishNext()
        device.repository.targets.expires += 1
        device.repository.files["metadata/2.targets.json"] =
            try device.repository.signed(device.repository.targets, as: "targets").bytes
        await #expect {
            try await device.refresh()
        } throws: { error in
            if case TrustError.mismatch(name: "targets", _) = error { true } else { false }
        }
        #expect(try device.versions() == [1, 2, 2, 1])
    }

    @Test func `a role in the place of another is refused`() async throws {
        let device = try TrustFixture()
        device.repository.files["metadata/timestamp.json"] = device.repository.files["metadata/1.snapshot.json"]
        await #expect {
            try await device.refresh()
        } throws: { error in
            if case TrustError.malformed(document: "timestamp", _) = error { true } else { false }
        }
    }

    @Test func `a delegated role that the snapshot does not list is refused`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "role")
        device.repository.delegated = [:]
        try device.repository.publishNext()
        await #expect(throws: TrustError.notInSnapshot(role: "role")) { try await device.targetInfo("x") }
    }

    @Test func `a stored snapshot with the right version and other content is fetched anew`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        var other = device.repository.snapshot
        other.expires += 1
        device.store.files["snapshot.json"] = try device.repository.signed(other, as: "snapshot").bytes
        try await device.refresh()
        #expect(device.store.files["snapshot.json"] == device.repository.files["metadata/1.snapshot.json"])
    }

    @Test func `roles of one repository that follow another specification are refused`() async throws {
        for version in ["2.0.0", "0.9.0", "1", "1.x", ""] {
            let device = try TrustFixture()
            device.repository.timestamp.header.specificationVersion = version
            device.repository.timestamp.version = 2
            try device.repository.publishTimestamp()
            await #expect(throws: TrustError.self, "\(version)") { try await device.refresh() }
        }
        for version in ["1.0", "1.0.0", "1.99.1"] {
            let device = try TrustFixture()
            device.repository.timestamp.header.specificationVersion = version
            try device.repository.publishTimestamp()
            await #expect(throws: Never.self, "\(version)") { try await device.refresh() }
        }
    }
}
