import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackRegistrySQL

/// Plans a prune and records it, each inside one transaction.
struct PruneTables {
    /// What must not have changed between the plan and its record.
    struct Moment: Hashable, Sendable {
        let base: RegistryFacts.Base
        let manifestCount: Int
        /// nil: nothing was ever uploaded.
        let uploaded: Date?
    }

    let db: Database

    func moment() throws -> Moment {
        let row = try Row.fetchOne(db, sql: "SELECT count(*) AS manifests, max(uploaded) AS uploaded FROM manifest")
        return try Moment(
            base: MetadataTable(db: db).base(), manifestCount: row?.integer("manifests") ?? 0,
            uploaded: row?.optionalDate("uploaded"))
    }

    // MARK: Planning

    /// - Parameter onDevices: the versions that devices have.
    func plan(_ policy: RetentionPolicy, onDevices: Set<VersionName>, now: Date) throws -> PrunePlan {
        var facts = try RetentionReader(db: db).facts()
        facts.onDevices = onDevices
        let decision = RetentionRule(facts, policy, now: now).decision()
        var plan = PrunePlan()
        for reason in decision.kept.values { plan.kept[reason, default: 0] += 1 }
        plan.uploads = try oldUploads(before: now.addingTimeInterval(-86_400 * Double(RetentionPolicy.uploadDays)))
        let gone = Set(decision.removed.map(\.manifest)).union(plan.uploads.map(\.manifest))
            .union(facts.versions.filter(\.isPruned).map(\.manifest).filter { decision.kept[$0] == nil })
        let (kept, served) = try keptObjects(without: gone, served: decision.served)
        plan.objects = try storedObjects().filter { !kept.contains($0.digest) }
        let lost = Set(plan.objects.map(\.digest))
        let removed = try decision.removed.filter { version in
            try manifest(version.manifest).ownObjects.contains { lost.contains($0.digest) }
        }
        plan.versions = removed.map(\.name)
        plan.derived = try derived(of: Set(removed.map(\.manifest)), served: decision.served)
        plan.encodings = try EncodingTable(db: db).made().filter { $0.coding != nil && !served.contains($0.object) }
        plan.leftCount = try Row.fetchOne(db, sql: "SELECT count(*) AS files FROM removal")?.integer("files") ?? 0
        return plan
    }

    private func oldUploads(before cutoff: Date) throws -> [PrunePlan.Upload] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT digest, package, version FROM manifest WHERE uploaded < ? AND NOT EXISTS
                (SELECT 1 FROM version WHERE version.manifest = manifest.digest) ORDER BY uploaded
                """, arguments: [cutoff]
        ).map { row in
            try PrunePlan.Upload(
                name: VersionName(
                    row.parsed("package") { try PackageID($0) }, row.parsed("version") { try SemanticVersion($0) }),
                manifest: row.parsed("digest") { try Digest(hex: $0) })
        }
    }

    /// The objects of all manifests but some, and those of the served ones.
    private func keptObjects(
        without gone: Set<Digest>, served: Set<Digest>
    ) throws -> (kept: Set<Digest>, served: Set<Digest>) {
        var kept: Set<Digest> = []
        var shown: Set<Digest> = []
        for row in try Row.fetchAll(db, sql: "SELECT digest FROM manifest") {
            let digest = try row.parsed("digest") { try Digest(hex: $0) }
            guard !gone.contains(digest) else { continue }
            let objects = try manifest(digest).ownObjects.map(\.digest)
            kept.formUnion(objects)
            if served.contains(digest) { shown.formUnion(objects) }
        }
        return (kept, shown)
    }

    private func manifest(_ digest: Digest) throws -> Manifest {
        guard let manifest = try VersionTable(db: db).manifest(digest) else { throw Row.damaged("manifest") }
        return manifest
    }

    private func storedObjects() throws -> [Object] {
        try Row.fetchAll(db, sql: "SELECT digest, size FROM object ORDER BY digest").map { row in
            try Object(digest: row.parsed("digest") { try Digest(hex: $0) }, size: row.integer("size"))
        }
    }

    /// All of the versions that lose their files, and the patches to what nobody is led to.
    private func derived(of removed: Set<Digest>, served: Set<Digest>) throws -> [DerivedTable.Entry] {
        try DerivedTable(db: db).entries().filter { entry in
            removed.contains(entry.file.target) || entry.file.base != nil && !served.contains(entry.file.target)
        }
    }

    // MARK: Recording

    /// From here on nothing refers to the files, and they are to be removed.
    func record(_ plan: PrunePlan, by actor: Identity, now: Date) throws {
        for version in plan.versions {
            try db.execute(
                sql: "UPDATE version SET pruned = ? WHERE package = ? AND version = ?",
                arguments: [now, version.package.text, version.version.description])
        }
        for upload in plan.uploads {
            try db.execute(sql: "DELETE FROM pin WHERE manifest = ?", arguments: [upload.manifest.hex])
            try db.execute(sql: "DELETE FROM manifest WHERE digest = ?", arguments: [upload.manifest.hex])
        }
        try ObjectTable(db: db).remove(plan.objects)
        for entry in plan.derived { try DerivedTable(db: db).forget(entry.file) }
        for object in Set(plan.encodings.map(\.object)) {
            try EncodingTable(db: db).forget(object)
        }
        try RemovalTable(db: db).add(plan.paths.map(\.description))
        try AuditTable(db: db).append(
            ChangeSet.AuditLine(
                action: "prune", subject: "registry",
                detail: "\(plan.versions.count) versions lost their files, \(plan.uploads.count) uploads, "
                    + "\(plan.paths.count) files of \(plan.byteCount) bytes"), by: actor, now: now)
    }

    // MARK: Removing

    /// The next files to remove, of which somebody may refer to some again.
    func next(_ count: Int) throws -> [String] { try RemovalTable(db: db).first(count) }

    func finish(_ paths: [String]) throws { try RemovalTable(db: db).remove(paths) }

    /// Whether something refers to a file again.
    func isUsed(_ path: StoredPath) throws -> Bool {
        switch path {
        case .encoded(let object, let coding): try EncodingTable(db: db).isMade(object, coding)
        case .view(.object(let digest)): try ObjectTable(db: db).contains(digest)
        case .view(.archive(let package, let version)):
            try VersionTable(db: db).published(package, version).map { version in
                try DerivedTable(db: db).size(of: DerivedFile(.archive, of: version.manifest)) != nil
            } ?? false
        case .view(.patch(nil, let target)): try DerivedTable(db: db).size(of: DerivedFile(.full, of: target)) != nil
        case .view(let path): try DerivedFile(patch: path).map { try DerivedTable(db: db).size(of: $0) != nil } ?? true
        }
    }
}
