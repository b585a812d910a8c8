import Foundation
import PackTrust
import Testing

struct SigningTests {
    private let later = RepositoryModel.now + 30 * RepositoryModel.day

    private struct Team {
        let owner: PrivateKey
        let publisher: PrivateKey
        let server: PrivateKey
        var repository: SignedRepository
    }

    private func team(consistentSnapshot: Bool = true) throws -> Team {
        let owner = try PrivateKey.generate(.ecdsa)
        let publisher = try PrivateKey.generate(.ed25519)
        let server = try PrivateKey.generate(.ed25519)
        let repository = try SignedRepository.create(
            root: [owner], targets: [owner], online: [server], consistentSnapshot: consistentSnapshot,
            expiries: .init(root: later, targets: later, snapshot: later, timestamp: later)
        ) { targets in
            try targets.delegate("package.app", to: [publisher.publicKey], paths: ["manifests/app/*"])
            try targets.delegate("channels", to: [server.publicKey], paths: ["channels/*"])
        }
        return Team(owner: owner, publisher: publisher, server: server, repository: repository)
    }

    private func device(_ repository: SignedRepository) throws -> TrustFixture {
        let device = try TrustFixture()
        device.repository.files = Dictionary(uniqueKeysWithValues: repository.files.map { ($0.path, $0.bytes) })
        device.store.files = [:]
        try TrustClient.initialize(device.store, trustedRoot: repository.root.bytes)
        return device
    }

    @Test(arguments: [true, false])
    func `a client follows a repository from its first day on`(consistentSnapshot: Bool) async throws {
        var team = try team(consistentSnapshot: consistentSnapshot)
        let device = try device(team.repository)
        try await device.refresh()
        let manifest = Array("manifest".utf8)
        var role = TargetsMetadata(expires: later)
        role.targets["manifests/app/1.0.0.json"] = TargetInfo(of: manifest)
        try team.repository.replaceRole(
            "package.app", with: try SignedDocument(unsigned: role).signed(by: team.publisher))
        try team.repository.publish(snapshotExpires: later, timestampExpires: later, signers: [team.server])
        for file in team.repository.files { device.repository.files[file.path] = file.bytes }
        let info = TargetInfo(of: manifest)
        let path = RepositoryPath.target(
            "manifests/app/1.0.0.json", info: info, consistentSnapshot: consistentSnapshot)
        device.repository.files[path] = manifest
        #expect(try await device.target("manifests/app/1.0.0.json") == "manifest")
        #expect(try await device.client().roleListing("manifests/app/1.0.0.json") == "package.app")
    }

    @Test func `every role of a repository can be given new keys without a new program`() async throws {
        var team = try team()
        let device = try device(team.repository)
        try await device.refresh()
        let newOwner = try PrivateKey.generate(.rsaPSS)
        let newServer = try PrivateKey.generate(.ecdsa)
        let root = try team.repository.root.revised(expires: later, signers: [team.owner, newOwner]) { root in
            root.setKeys([newOwner.publicKey], for: .root)
            root.setKeys([newOwner.publicKey], for: .targets)
            root.setKeys([newServer.publicKey], for: .snapshot)
            root.setKeys([newServer.publicKey], for: .timestamp)
        }
        #expect(root.body.keys.count == 2)
        try team.repository.replaceRoot(root)
        try team.repository.replaceTargets(try team.repository.targets.revised(signers: [newOwner]))
        try team.repository.publish(snapshotExpires: later, timestampExpires: later, signers: [newServer])
        for file in team.repository.files { device.repository.files[file.path] = file.bytes }
        try await device.refresh()
        #expect(try device.versions() == [2, 2, 2, 2])
    }

    @Test func `a root that the old keys did not sign is not taken`() throws {
        var team = try team()
        let thief = try PrivateKey.generate(.ed25519)
        let root = try team.repository.root.revised(signers: [thief]) { $0.setKeys([thief.publicKey], for: .root) }
        #expect(throws: TrustError.threshold(role: "root", valid: 0, needed: 1)) {
            try team.repository.replaceRoot(root)
        }
        #expect(team.repository.root.body.version == 1)
    }

    @Test func `several owners sign one after the other and each signature stays`() throws {
        let owners = try (0..<3).map { _ in try PrivateKey.generate(.ed25519) }
        var root = RootMetadata(expires: later)
        for role in TopLevelRole.allCases { root.setKeys(owners.map(\.publicKey), threshold: 2, for: role) }
        let first = try SignedDocument(unsigned: root).signed(by: owners[0])
        let authority = root.authority(for: TopLevelRole.root)
        #expect(throws: TrustError.threshold(role: "root", valid: 1, needed: 2)) { try first.verify(by: authority) }
        let carried = try SignedDocument<RootMetadata>(parsing: first.bytes)
        let second = try carried.signed(by: owners[2])
        try second.verify(by: authority)
        #expect(second.signatures.map(\.keyID) == [owners[0].publicKey.id, owners[2].publicKey.id])
        #expect(try second.signed(by: owners[0]).signatures.count == 2)
        // A change makes the old signatures worthless, and they are gone.
        let changed = try second.revised(signers: [owners[1]]) { $0.consistentSnapshot = false }
        #expect(changed.signatures.map(\.keyID) == [owners[1].publicKey.id])
        #expect(changed.body.version == 2)
    }

    @Test func `a signer that makes something else than a signature is found out`() throws {
        let team = try team()
        let broken = TwinSigner(publicKey: team.owner.publicKey, key: team.server)
        #expect(throws: TrustError.self) { try team.repository.targets.signed(by: broken) }
    }

    @Test func `a delegation can be replaced and taken back, and unused keys go with it`() throws {
        var team = try team()
        let other = try PrivateKey.generate(.ed25519)
        try team.repository.replaceTargets(
            try team.repository.targets.revised(signers: [team.owner]) { targets in
                try targets.delegate("package.app", to: [other.publicKey], paths: ["manifests/app/*"])
            })
        let delegations = try #require(team.repository.targets.body.delegations)
        #expect(delegations.roles.map(\.name) == ["package.app", "channels"])
        #expect(delegations.keys.names.sorted() == [other.publicKey.id, team.server.publicKey.id].sorted())
        let without = try team.repository.targets.revised(signers: [team.owner]) {
            $0.revokeDelegation(to: "package.app")
        }
        #expect(without.body.delegations?.roles.map(\.name) == ["channels"])
        #expect(without.body.delegations?.keys.names == [team.server.publicKey.id])
    }

    @Test func `the timestamp can be renewed while nothing changes`() async throws {
        var team = try team()
        let device = try device(team.repository)
        try await device.refresh()
        try team.repository.renewTimestamp(expires: later + RepositoryModel.day, signers: [team.server])
        for file in team.repository.files { device.repository.files[file.path] = file.bytes }
        try await device.refresh()
        #expect(try device.versions() == [1, 2, 1, 1])
    }

    @Test func `a role upload must be the next version, signed, and within its paths`() throws {
        let team = try team()
        func upload(version: Int, path: String, key: PrivateKey) throws {
            var repository = team.repository
            var role = TargetsMetadata(version: version, expires: later)
            role.targets[path] = TargetInfo(of: [1])
            try repository.replaceRole("package.app", with: try SignedDocument(unsigned: role).signed(by: key))
        }
        try upload(version: 1, path: "manifests/app/1.json", key: team.publisher)
        #expect(throws: TrustError.wrongVersion(role: "package.app", found: 2, wanted: 1)) {
            try upload(version: 2, path: "manifests/app/1.json", key: team.publisher)
        }
        #expect(throws: TrustError.threshold(role: "package.app", valid: 0, needed: 1)) {
            try upload(version: 1, path: "manifests/app/1.json", key: team.server)
        }
        #expect(
            throws: TrustError.refusedChange(role: "package.app", reason: "it may not speak for manifests/b/1.json")
        ) {
            try upload(version: 1, path: "manifests/b/1.json", key: team.publisher)
        }
        var repository = team.repository
        #expect(throws: TrustError.self) {
            try repository.replaceRole("package.none", with: team.repository.targets)
        }
    }

    @Test func `a new version of a role says what it adds, replaces and removes`() throws {
        let team = try team()
        let delegation = try #require(team.repository.targets.body.delegations?.role(named: "package.app"))
        let authority = try #require(team.repository.targets.body.authority(for: "package.app"))
        var role = TargetsMetadata(expires: later)
        for name in ["a", "b", "c"] { role.targets["manifests/app/\(name)"] = TargetInfo(of: [1]) }
        let old = try SignedDocument(unsigned: role).signed(by: team.publisher)
        let new = try old.revised(signers: [team.publisher]) { role in
            role.targets["manifests/app/a"] = nil
            role.targets["manifests/app/b"] = TargetInfo(of: [2])
            role.targets["manifests/app/d"] = TargetInfo(of: [1])
        }
        let changes = try RoleSuccession(replacing: old, authority: authority, delegation: delegation).check(new)
        #expect(changes.added == ["manifests/app/d"])
        #expect(changes.replaced == ["manifests/app/b"])
        #expect(changes.removed == ["manifests/app/a"])
    }
}
