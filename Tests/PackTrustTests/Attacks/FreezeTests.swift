import Foundation
import PackTrust
import Testing

struct FreezeTests {
    private let late = RepositoryModel.now + 60 * RepositoryModel.day
    private let expiry = RepositoryModel.now + 30 * RepositoryModel.day

    @Test func `an indefinite freeze ends when the timestamp expires`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        device.now = expiry
        device.repository.root.expires = late
        try device.repository.nextRoot()
        try await device.expectRefusal(.expired(role: "timestamp", expires: expiry))
        device.now = expiry - 1
        try await device.refresh()
    }

    @Test func `an expired root is kept and nothing newer is taken under it`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        let past = RepositoryModel.now - RepositoryModel.day
        try device.repository.nextRoot { $0.expires = past }
        try device.repository.publishNext()
        try await device.expectRefusal(.expired(role: "root", expires: past))
        #expect(try device.versions() == [2, 1, 1, 1])
        try device.repository.nextRoot { $0.expires = late }
        try await device.refresh()
        #expect(try device.versions() == [3, 2, 2, 2])
    }

    @Test func `an expired root in the middle of the chain does no harm`() async throws {
        let device = try TrustFixture()
        try device.repository.nextRoot { $0.expires = RepositoryModel.now - 1 }
        try device.repository.nextRoot { $0.expires = late }
        try await device.refresh()
        #expect(try device.version("root") == 3)
    }

    @Test func `the expiry of the root that the device starts from does not matter`() async throws {
        let device = try TrustFixture()
        device.now = expiry + 1
        for role in [\RepositoryModel.root.header, \.timestamp.header, \.snapshot.header, \.targets.header] {
            device.repository[keyPath: role].expires = late
        }
        try device.repository.nextRoot()
        try device.repository.publishNext()
        try await device.refresh()
        #expect(try device.versions() == [2, 2, 2, 2])
    }

    @Test func `an expired snapshot is refused`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        device.repository.snapshot.expires = RepositoryModel.now
        try device.repository.publishNext()
        try await device.expectRefusal(.expired(role: "snapshot", expires: RepositoryModel.now))
        #expect(try device.versions() == [1, 2, 1, 1])
    }

    @Test func `expired targets are refused`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        try device.repository.publishNext { $0.expires = RepositoryModel.now }
        try await device.expectRefusal(.expired(role: "targets", expires: RepositoryModel.now))
        #expect(try device.versions() == [1, 2, 2, 1])
    }

    @Test func `an expired timestamp is not stored`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        device.repository.timestamp.expires = RepositoryModel.now
        try device.repository.publishNext()
        try await device.expectRefusal(.expired(role: "timestamp", expires: RepositoryModel.now))
        #expect(try device.versions() == [1, 1, 1, 1])
    }

    @Test func `an expired delegated role is refused`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "role")
        device.repository.delegated["role"]?.expires = RepositoryModel.now
        try device.repository.publishNext()
        try await device.refresh()
        await #expect(throws: TrustError.expired(role: "role", expires: RepositoryModel.now)) {
            try await device.targetInfo("x")
        }
    }

    @Test func `a stored delegated role that has expired since is refused`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "role")
        let soon = RepositoryModel.now + RepositoryModel.day
        device.repository.delegated["role"]?.expires = soon
        device.repository.add("x", "X", to: "role")
        try device.repository.publishNext()
        #expect(try await device.targetInfo("x") != nil)
        device.now = soon
        await #expect(throws: TrustError.expired(role: "role", expires: soon)) { try await device.targetInfo("x") }
    }

    @Test func `a device that was offline for months takes up again through the chain of roots`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        device.now = late - 1
        for _ in 0..<3 {
            try device.repository.rotateKeys(of: .root)
            for role in [TopLevelRole.timestamp, .snapshot, .targets] { try device.repository.rotateKeys(of: role) }
        }
        for role in [\RepositoryModel.root.header, \.timestamp.header, \.snapshot.header, \.targets.header] {
            device.repository[keyPath: role].expires = late
        }
        try device.repository.nextRoot()
        try device.repository.publishNext()
        try await device.refresh()
        #expect(try device.versions() == [14, 2, 2, 2])
    }

    @Test func `the clock is read once in a refresh`() async throws {
        let device = try TrustFixture()
        device.server.serve(device.repository.files)
        let readings = ClockReadings()
        let client = TrustClient(store: device.store, transport: device.server, now: { readings.next() })
        try await client.refresh()
        #expect(readings.count == 1)
    }
}
