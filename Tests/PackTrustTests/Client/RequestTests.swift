import Foundation
import PackTrust
import Testing

struct RequestTests {
    @Test func `a first refresh asks for the next root and the three other roles and nothing else`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        #expect(
            device.server.takeRequests() == [
                "metadata/2.root.json", "metadata/timestamp.json", "metadata/1.snapshot.json",
                "metadata/1.targets.json",
            ])
        #expect(device.storedNames == ["root.json", "snapshot.json", "targets.json", "timestamp.json"])
    }

    @Test func `unchanged snapshot and targets are not fetched again`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        _ = device.server.takeRequests()
        device.repository.timestamp.version += 1
        try device.repository.publishTimestamp()
        try await device.refresh()
        #expect(device.server.takeRequests() == ["metadata/2.root.json", "metadata/timestamp.json"])
        #expect(try device.version("timestamp") == 2)
    }

    @Test func `an idle check without the root probe is one request`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        _ = device.server.takeRequests()
        try await device.client().refresh(probingRoot: false)
        #expect(device.server.takeRequests() == ["metadata/timestamp.json"])
    }

    @Test func `a refresh that left out the root probe makes up for it when the keys no longer fit`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        try device.repository.rotateKeys(of: .timestamp)
        device.repository.timestamp.version += 1
        try device.repository.publishTimestamp()
        try await device.client().refresh(probingRoot: false)
        #expect(try device.versions() == [2, 2, 1, 1])
    }

    @Test func `without consistent snapshots the names carry no version and no hash`() async throws {
        let device = try TrustFixture(consistentSnapshot: false)
        device.repository.add("dir/a.txt", "A")
        try device.repository.publishNext()
        #expect(try await device.target("dir/a.txt") == "A")
        #expect(
            device.server.takeRequests() == [
                "metadata/2.root.json", "metadata/timestamp.json", "metadata/snapshot.json", "metadata/targets.json",
                "targets/dir/a.txt",
            ])
    }

    @Test func `under consistent snapshots a target is asked for by its hash`() async throws {
        let device = try TrustFixture()
        device.repository.add("dir/a.txt", "A")
        try device.repository.publishNext()
        #expect(try await device.target("dir/a.txt") == "A")
        let hash = "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd"
        #expect(device.server.takeRequests().last == "targets/dir/\(hash).a.txt")
    }

    @Test func `a file that is missing is asked for once`() async throws {
        let device = try TrustFixture()
        device.repository.files["metadata/1.snapshot.json"] = nil
        try await device.expectRefusal(.missing(name: "metadata/1.snapshot.json"))
        #expect(device.server.takeRequests().count { $0 == "metadata/1.snapshot.json" } == 1)
    }

    @Test(arguments: [
        ("?", "%3F"), ("#", "%23"), ("/role", "%2Frole"), ("../role", "..%2Frole"), ("a b", "a%20b"),
        ("\u{E9}", "%C3%A9"), ("e\u{301}", "e%CC%81"),
    ])
    func `a role's name is one encoded part of the path`(role: String, encoded: String) async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: role)
        try device.repository.publishNext()
        #expect(try await device.targetInfo("nowhere") == nil)
        #expect(device.server.takeRequests().last == "metadata/1.\(encoded).json")
        #expect(device.storedNames.contains("\(encoded).json"))
        #expect(device.storedNames.count == 5)
    }

    @Test func `a role whose name differs from a top-level one only in case has a file of its own`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: "Root")
        try device.repository.publishNext()
        #expect(try await device.targetInfo("nowhere") == nil)
        #expect(device.storedNames.contains("%52oot.json"))
    }

    @Test func `a role with a very long name has a file name that a disk can hold`() async throws {
        let device = try TrustFixture()
        try device.repository.delegate(to: String(repeating: "r", count: 5_000))
        try device.repository.publishNext()
        #expect(try await device.targetInfo("nowhere") == nil)
        #expect(device.storedNames.allSatisfy { $0.utf8.count < 255 })
        #expect(device.storedNames.count == 5)
    }

    @Test func `two refreshes at once are one after the other`() async throws {
        let device = try TrustFixture()
        let client = device.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await client.refresh() } }
            try await group.waitForAll()
        }
        let requests = device.server.takeRequests()
        #expect(requests.count { $0 == "metadata/1.snapshot.json" } == 1)
        #expect(requests.count { $0 == "metadata/timestamp.json" } == 8)
    }
}
