import Foundation
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// What every store of a registry's rows does, the twin in memory included.
@Suite("StoreContractTests") struct StoreContractTests {
    @Test(arguments: StoreKind.allCases)
    func `what was read before another change was recorded is refused, and nothing of it is there`(
        kind: StoreKind
    ) async throws {
        let bench = try await StoreBench(kind)
        try await bench.upload("alpha", "1.0.0")
        let late = try await bench.committer.prepare(bench.publication("alpha", "1.0.0"), as: bench.ann)
        try await bench.publish("beta", "1.0.0")
        let before = try await bench.picture()
        await #expect(throws: StaleFacts()) { try await bench.committer.record(late) }
        #expect(try await bench.picture() == before)
        #expect(!before.contains("alpha: "))
        var query = FactsQuery.unsigned
        query.audit = AuditQuery(limit: 1)
        #expect(try await bench.store.facts(query).audit.map(\.subject) == ["beta@1.0.0"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a change that cannot be recorded whole is not recorded at all`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        try await bench.publish("alpha", "1.0.0")
        let before = try await bench.picture()
        var changes = ChangeSet(by: bench.ann, at: bench.now)
        changes.log("never", "recorded")
        changes.uploads = []
        let sealed = try StoreBench.manifest("alpha", "2.0.0")
        changes.uploads.append(sealed)
        changes.publications.append(ChangeSet.Publication(version: sealed.name, manifest: sealed.digest))
        // Published already: what comes last in the change cannot be.
        changes.publications.append(
            ChangeSet.Publication(
                version: VersionName(sealed.manifest.package, try SemanticVersion("1.0.0")), manifest: sealed.digest))
        await #expect(throws: (any Error).self) { try await bench.store.commit(changes, basedOn: nil) }
        #expect(try await bench.picture() == before)
        var query = FactsQuery.unsigned
        query.manifests = [sealed.digest]
        query.audit = AuditQuery(limit: 1)
        let facts = try await bench.store.facts(query)
        #expect(facts.manifests.isEmpty && facts.audit.first?.action == "publish")
    }

    @Test(arguments: [StoreKind.sqlite, .postgres])
    func `an upload that a prune removed before it was published is to be uploaded again`(kind: StoreKind) async throws
    {
        let bench = try await StoreBench(kind)
        try await bench.upload("alpha", "1.0.0")
        let publication = try await bench.publication("alpha", "1.0.0")
        let late = try await bench.committer.prepare(publication, as: bench.ann)
        _ = try await bench.database?.writing { try $0.execute(sql: "DELETE FROM manifest") }
        await #expect(throws: StaleFacts()) { try await bench.committer.record(late) }
        let error = await #expect(throws: RegistryError.self) {
            try await bench.committer.commit(publication, as: bench.ann)
        }
        #expect(error?.kind == .notFound && error?.message.contains("upload the package first") == true)
    }

    @Test(arguments: StoreKind.allCases)
    func `a whole life leaves the same in every store`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        for version in ["1.0.0", "1.1.0"] { try await bench.publish("alpha", version) }
        try await bench.publish("beta", "1.0.0")
        let commit = { (change: ChannelRelease) in try await bench.committer.commit(change, as: bench.ann).outcome }
        let first = try await commit(bench.release(.offer(SemanticVersion("1.0.0")), "alpha"))
        #expect(first.isNewChannel && first.isChanged && first.releases.first?.id == "1-00000007")
        #expect(
            try await commit(bench.release(.offer(SemanticVersion("1.1.0"), Rollout(percent: 20)), "alpha"))
                .releases.count == 2)
        #expect(try await !commit(bench.release(.setRollout(Share(percent: 20)), "alpha")).isChanged)
        _ = try await commit(
            bench.release(.promote(SemanticVersion("1.1.0"), from: ChannelName("beta")), "alpha", on: "stable"))
        _ = try await commit(bench.release(.offer(SemanticVersion("1.0.0")), "beta"))
        try await bench.committer.commit(bench.withdrawal("alpha", "1.1.0"), as: bench.ann)
        #expect(
            try await bench.picture() == """
                alpha: ["1.0.0", "1.1.0 withdrawn"]
                beta: ["1.0.0"]
                beta alpha: 1.0.0
                beta beta: 1.0.0
                stable alpha: nothing
                channels 6
                package.alpha 3
                package.beta 1
                root 1
                snapshot 9
                targets 1
                timestamp 9
                """)
        var query = FactsQuery()
        query.histories = FactsQuery.Histories(of: try PackageID("alpha"), on: nil, files: nil)
        query.names = FactsQuery.Names(versionsOf: try PackageID("alpha"), packagesOn: try ChannelName("beta"))
        query.audit = AuditQuery(limit: 100)
        let facts = try await bench.store.facts(query)
        #expect(facts.channelNames.map(\.text) == ["beta", "stable"])
        #expect(facts.packageNames.map(\.text) == ["alpha", "beta"])
        #expect(facts.versionNames.map(\.description) == ["1.1.0", "1.0.0"])
        #expect(
            facts.histories.mapValues { $0.entries.map(\.isRemoved) } == [
                try ChannelName("beta"): [false, true], try ChannelName("stable"): [true],
            ])
        #expect(facts.nextRelease == 5)
        #expect(facts.channelFiles[try ChannelName("beta")]?.packages.count == 2)
        #expect(facts.audit.map(\.action).last == "create" && facts.audit.count == 9)
        #expect(facts.versions.values.filter { $0.withdrawn == "a fault" }.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `signatures are renewed when they are due, by the registry itself, and not before`(
        kind: StoreKind
    ) async throws {
        let bench = try await StoreBench(kind)
        let services = { (days: Double) in
            RegistryServices(
                store: bench.store, leases: bench.leases, signer: bench.signer, content: NoContent(),
                view: MemoryViewStore(), downloads: NoDownloads(), clock: { bench.now + days * 86_400 })
        }
        #expect(try await services(3).renew().isEmpty)
        #expect(try await services(4).renew() == ["timestamp"])
        #expect(try await services(4).renew().isEmpty)
        #expect(try await services(16).renew() == ["channels", "snapshot", "timestamp"])
        var query = FactsQuery.unsigned
        query.audit = AuditQuery(limit: 1)
        let entry = try #require(try await bench.store.facts(query).audit.first)
        #expect((entry.actor, entry.action) == ("system:renewal", "renew"))
    }

    @Test(arguments: StoreKind.allCases)
    func `a token is found by its hash, and of two that revoke it one does`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        var generator = SystemRandomNumberGenerator()
        let secret = TokenSecret(generator: &generator)
        let request = TokenRequest(name: "ci", scope: TokenScope(actions: [.publish]), expires: nil)
        let created = try await bench.committer.commit(TokenCreation(request, secret: secret), as: bench.ann).outcome
        var query = FactsQuery.unsigned
        query.tokens = .hash(secret.hash)
        #expect(try await bench.store.facts(query).tokens.map(\.record) == [created.record])
        query.tokens = .hash(Digest(of: []))
        #expect(try await bench.store.facts(query).tokens.isEmpty)
        let change = TokenRevocation(id: created.record.id)
        let late = try await bench.committer.prepare(change, as: bench.ann)
        #expect(try await bench.committer.commit(change, as: bench.ann).outcome)
        await #expect(throws: StaleFacts()) { try await bench.committer.record(late) }
        #expect(try await !bench.committer.commit(change, as: bench.ann).outcome)
        #expect(throws: RegistryError.self) {
            var changes = ChangeSet(by: bench.ann, at: bench.now)
            _ = try TokenCreation(
                TokenRequest(name: "system:x", scope: request.scope, expires: nil), secret: secret
            ).decide(RegistryFacts(app: "shop"), into: &changes)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a job's token is found with its trust, is made once, and not of a revoked one`(kind: StoreKind) async throws {
        let bench = try await StoreBench(kind)
        var generator = SystemRandomNumberGenerator()
        func secret() -> TokenSecret { TokenSecret(generator: &generator) }
        let trust = try TokenTrust(
            issuer: "https://issuer.example.com", audience: "shop", claims: ["sub": "a", "ref": "b*"],
            keysURL: "https://keys.example.com/jwks")
        let request = TrustRequest(name: "jobs", scope: TokenScope(actions: [.publish]), trust: trust)
        let record = try await bench.committer.commit(TrustCreation(request, secret: secret()), as: bench.ann).outcome
        func exchange(_ id: String, _ text: TokenSecret) -> TokenExchange {
            var token = IDToken(
                issuer: trust.issuer, audiences: ["shop"], id: id, claims: ["sub": "a", "ref": "bc"])
            token.keysURLs = [trust.keysURL]
            return TokenExchange(token, trust: nil, secret: text)
        }
        let text = secret()
        let same = try await bench.committer.prepare(exchange("1", secret()), as: bench.ann)
        let late = try await bench.committer.prepare(exchange("2", secret()), as: bench.ann)
        let made = try await bench.committer.commit(exchange("1", text), as: bench.ann).outcome
        var query = FactsQuery.unsigned
        query.tokens = .hash(text.hash)
        #expect(try await bench.store.facts(query).tokens.map(\.record) == [made.record, record])
        #expect(record.trust == trust && made.record.parent == record.id)
        await #expect(throws: StaleFacts()) { try await bench.committer.record(same) }
        let again = await #expect(throws: RegistryError.self) {
            try await bench.committer.commit(exchange("1", secret()), as: bench.ann)
        }
        #expect(again?.kind == .conflict)
        #expect(try await bench.committer.commit(TokenRevocation(id: record.id), as: bench.ann).outcome)
        await #expect(throws: StaleFacts()) { try await bench.committer.record(late) }
        await #expect(throws: RegistryError.self) {
            try await bench.committer.commit(exchange("3", secret()), as: bench.ann)
        }
    }

    @Test func `every step of a release stays to be told`() async throws {
        let bench = try await StoreBench(.sqlite)
        try await bench.publish("alpha", "1.0.0")
        for percent in [10, 30, 100] {
            let change = ChannelChange.offer(try SemanticVersion("1.0.0"), try Rollout(percent: percent))
            try await bench.committer.commit(bench.release(change, "alpha"), as: bench.ann)
        }
        try await bench.committer.commit(bench.release(.rollBackToEmbedded, "alpha"), as: bench.ann)
        let database = try SQLiteDatabase(RegistryFolder(bench.folder.url))
        #expect(
            try ReleaseEvents.texts(of: database) == [
                "add {\"retry\":0,\"share\":1000}", "update {\"retry\":0,\"share\":3000}",
                "update {\"retry\":0,\"share\":10000}", "remove {}", "add {\"retry\":0,\"share\":10000}",
            ])
        #expect(throws: RegistryError.self) { try ReleaseEvents.clear(database) }
    }
}

struct NoContent: ContentStore {
    struct None: Error {}

    func missing(among objects: [Object]) async throws -> Set<Digest> { [] }
    func open(archive: URL) async throws -> any UploadedArchive { throw None() }
}
