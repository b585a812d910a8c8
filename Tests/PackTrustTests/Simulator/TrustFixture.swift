import Foundation
import PackJSON
import PackTrust
import Testing

/// A repository, its server, and one device: change ``repository``, then let the device ``refresh()``.
final class TrustFixture {
    var repository: RepositoryModel
    let server = SimulatedServer()
    let store: MemoryTrustStore
    var now = RepositoryModel.now
    var limits = TrustLimits()
    /// A root that the program embeds; nil to start from the stored one.
    var embeddedRoot: [UInt8]?

    init(consistentSnapshot: Bool = true, statesHashes: Bool = true) throws {
        repository = try RepositoryModel(consistentSnapshot: consistentSnapshot, statesHashes: statesHashes)
        store = MemoryTrustStore()
        try TrustClient.initialize(store, trustedRoot: repository.files["metadata/1.root.json"] ?? [])
    }

    /// A device that was just started, before the repository as it is now.
    func client() -> TrustClient {
        server.serve(repository.files)
        let now = now
        return TrustClient(
            store: store, transport: server, trustedRoot: embeddedRoot, limits: limits, now: { now })
    }

    func refresh() async throws {
        try await client().refresh()
    }

    func targetInfo(_ path: String) async throws -> TargetInfo? {
        try await client().targetInfo(path)
    }

    func target(_ path: String) async throws -> String {
        String(decoding: try await client().target(path, maximumByteCount: 1_000_000), as: UTF8.self)
    }

    /// The version that the device trusts of a role, by the file it stored; nil if there is none.
    func version(_ role: String) throws -> Int? {
        guard let bytes = store.files["\(role).json"] else { return nil }
        return try JSONValue(parsing: bytes).object().object("signed").integer("version")
    }

    /// The versions of root, timestamp, snapshot and targets.
    func versions() throws -> [Int?] {
        try ["root", "timestamp", "snapshot", "targets"].map { try version($0) }
    }

    /// The stored files without the history of roots.
    var storedNames: [String] {
        store.files.keys.filter { !$0.hasPrefix("root_history/") }.sorted()
    }

    /// Expects the refusal, and that afterwards the honest repository is followed again.
    func expectRefusal(
        _ error: TrustError, recoversWith honest: RepositoryModel? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        await #expect(throws: error, sourceLocation: sourceLocation) { try await refresh() }
        guard let honest else { return }
        repository = honest
        await #expect(throws: Never.self, sourceLocation: sourceLocation) { try await refresh() }
    }
}
