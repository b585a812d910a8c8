import Foundation
import PackTrust
import Testing

struct EndlessDataTests {
    @Test func `each role is asked for with its limit`() async throws {
        let device = try TrustFixture(statesHashes: false)
        try await device.refresh()
        #expect(device.server.limit(of: "metadata/2.root.json") == 512_000)
        #expect(device.server.limit(of: "metadata/timestamp.json") == 16_384)
        #expect(device.server.limit(of: "metadata/1.snapshot.json") == 2_000_000)
        #expect(device.server.limit(of: "metadata/1.targets.json") == 5_000_000)
    }

    @Test func `a stated length is the limit`() async throws {
        let device = try TrustFixture()
        try await device.refresh()
        let snapshot = try #require(device.repository.files["metadata/1.snapshot.json"])
        let targets = try #require(device.repository.files["metadata/1.targets.json"])
        #expect(device.server.limit(of: "metadata/1.snapshot.json") == snapshot.count)
        #expect(device.server.limit(of: "metadata/1.targets.json") == targets.count)
    }

    @Test func `a stated length does not lift the limit`() async throws {
        let device = try TrustFixture()
        let honest = device.repository
        device.repository.timestamp.snapshot.length = 1_000_000_000_000
        try device.repository.publishTimestamp()
        await #expect(throws: TrustError.self) { try await device.refresh() }
        #expect(device.server.limit(of: "metadata/1.snapshot.json") == 2_000_000)
        device.repository = honest
        device.repository.timestamp.version = 2
        try device.repository.publishTimestamp()
        try await device.refresh()
    }

    @Test(arguments: [
        ("metadata/2.root.json", 512_000), ("metadata/timestamp.json", 16_384),
        ("metadata/1.snapshot.json", 2_000_000), ("metadata/1.targets.json", 5_000_000),
    ])
    func `an endless answer is refused even if the transport read it`(path: String, limit: Int) async throws {
        let device = try TrustFixture(statesHashes: false)
        let honest = device.repository
        device.repository.files[path] = [UInt8](repeating: 0x20, count: limit + 1)
        try await device.expectRefusal(.tooLarge(name: path, limit: limit), recoversWith: honest)
    }

    @Test func `a target is asked for with its signed length and not fetched beyond what the caller takes`()
        async throws
    {
        let device = try TrustFixture()
        device.repository.add("a.txt", "12345")
        try device.repository.publishNext()
        let client = device.client()
        let bytes = try await client.target("a.txt", maximumByteCount: 5)
        #expect(bytes == Array("12345".utf8))
        let path = try #require(device.server.takeRequests().last)
        #expect(device.server.limit(of: path) == 5)
        await #expect(throws: TrustError.tooLarge(name: "a.txt", limit: 4)) {
            try await client.target("a.txt", maximumByteCount: 4)
        }
        #expect(device.server.takeRequests() == [])
    }

    @Test func `a target that nobody lists is not asked for`() async throws {
        let device = try TrustFixture()
        await #expect(throws: TrustError.unknownTarget(path: "a.txt")) { try await device.target("a.txt") }
        #expect(device.server.takeRequests().count { $0.hasPrefix("targets/") } == 0)
    }

    @Test func `too many delegations end the search with an error`() async throws {
        let device = try TrustFixture()
        device.limits.delegations = 3
        for index in 0..<5 { try device.repository.delegate(to: "role\(index)") }
        device.repository.add("near", "N", to: "role2")
        device.repository.add("far", "F", to: "role4")
        try device.repository.publishNext()
        #expect(try await device.target("near") == "N")
        await #expect(throws: TrustError.tooManyDelegations(target: "far", limit: 3)) {
            try await device.targetInfo("far")
        }
    }

    @Test func `nesting that would exhaust the stack is refused`() async throws {
        let device = try TrustFixture()
        let depth = 8_000
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        device.repository.files["metadata/timestamp.json"] = Array("{\"signed\":\(text),\"signatures\":[]}".utf8)
        await #expect {
            try await device.refresh()
        } throws: { error in
            if case TrustError.malformed(document: "timestamp", _) = error { true } else { false }
        }
    }
}
