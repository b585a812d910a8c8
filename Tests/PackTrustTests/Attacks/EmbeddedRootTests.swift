import Foundation
import PackTrust
import Testing

/// A device whose program embeds the root: its store may be damaged or tampered with, and still only the chain from
/// that root counts.
struct EmbeddedRootTests {
    private func device() throws -> TrustFixture {
        let device = try TrustFixture()
        device.embeddedRoot = device.repository.files["metadata/1.root.json"]
        device.store.files = [:]
        return device
    }

    @Test func `an empty store starts from the embedded root`() async throws {
        let device = try device()
        try await device.refresh()
        #expect(try device.versions() == [1, 1, 1, 1])
    }

    @Test(arguments: [true, false])
    func `a repository that cannot be reached leaves an empty store empty`(probingRoot: Bool) async throws {
        let device = try device()
        for path in ["metadata/2.root.json", "metadata/timestamp.json"] { device.server.cut(path) }
        await #expect(throws: (any Error).self) { try await device.client().refresh(probingRoot: probingRoot) }
        #expect(device.store.files.isEmpty)
    }

    @Test func `roots that were followed before are not fetched again`() async throws {
        let device = try device()
        for _ in 0..<3 { try device.repository.rotateKeys(of: .root) }
        try await device.refresh()
        _ = device.server.takeRequests()
        try await device.refresh()
        #expect(device.server.takeRequests() == ["metadata/5.root.json", "metadata/timestamp.json"])
    }

    @Test func `a stored root that somebody planted is not followed`() async throws {
        let device = try device()
        try await device.refresh()
        var planted = try RepositoryModel()
        planted.root.version = 9
        try planted.publishRoot()
        device.store.files["root.json"] = planted.files["metadata/9.root.json"]
        device.store.files["root_history/2.root.json"] = planted.files["metadata/9.root.json"]
        try await device.refresh()
        #expect(try device.version("root") == 1)
    }

    @Test(arguments: ["root.json", "root_history/2.root.json"])
    func `a damaged stored root costs a download`(name: String) async throws {
        let device = try device()
        try device.repository.rotateKeys(of: .root)
        try await device.refresh()
        device.store.files[name] = Array("{\"signed\":".utf8)
        try await device.refresh()
        #expect(try device.versions() == [2, 1, 1, 1])
    }

    @Test func `a release of the program with a newer root forgets what the revoked online key signed`() async throws {
        let device = try device()
        device.repository.timestamp.version = 1_000
        try device.repository.publishTimestamp()
        try await device.refresh()
        let kept = try #require(device.repository.signers["snapshot"])
        let old = try #require(device.repository.signers["timestamp"]?.first)
        let new = try PrivateKey.generate(.ed25519)
        // The old key stays valid for the timestamp; a key of the snapshot goes.
        try device.repository.nextRoot { root in
            root.setKeys([old.publicKey, new.publicKey], for: .timestamp)
            root.setKeys([new.publicKey], for: .snapshot)
        }
        #expect(kept.count == 1)
        device.repository.signers["snapshot"] = [new]
        device.embeddedRoot = device.repository.files["metadata/2.root.json"]
        device.repository.timestamp.version = 2
        try device.repository.publish()
        try await device.refresh()
        #expect(try device.versions() == [2, 2, 1, 1])
    }

    @Test func `a broken embedded root is told apart from everything else`() async throws {
        let device = try device()
        device.embeddedRoot = [0x7B]
        await #expect {
            try await device.refresh()
        } throws: { error in
            if case TrustError.noTrustedRoot = error { true } else { false }
        }
    }
}
