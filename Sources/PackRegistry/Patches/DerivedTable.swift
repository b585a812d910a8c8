import Foundation
import GRDB
import PackFormat

/// Which derived files were made, or found not worth having, inside one transaction.
struct DerivedTable {
    /// How many versions that a channel offered before get a patch to what it offers now.
    static let patchedVersions = 4

    let db: Database

    /// Records a file; `size` nil: it was not worth having.
    func record(_ file: DerivedFile, size: Int?) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO derived (target, base, kind, size) VALUES (?, ?, ?, ?)",
            arguments: [file.target.hex, file.base?.hex ?? "", file.kind.rawValue, size])
    }

    func size(of file: DerivedFile) throws -> Int? {
        try Row.fetchOne(
            db, sql: "SELECT size FROM derived WHERE target = ? AND base = ? AND kind = ?",
            arguments: [file.target.hex, file.base?.hex ?? "", file.kind.rawValue]
        )?.optionalInteger("size")
    }

    func isRecorded(_ file: DerivedFile) throws -> Bool {
        try Row.fetchOne(
            db, sql: "SELECT 1 FROM derived WHERE target = ? AND base = ? AND kind = ?",
            arguments: [file.target.hex, file.base?.hex ?? "", file.kind.rawValue]) != nil
    }

    /// Every file that was made, with its path in the view.
    func made() throws -> [(file: DerivedFile, path: String)] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT derived.kind, derived.target, derived.base, version.package, version.version
                FROM derived JOIN version ON version.manifest = derived.target WHERE derived.size IS NOT NULL
                """
        ).map { row in
            let base = try row.text("base")
            let kind = try row.parsed("kind") { text in
                guard let kind = DerivedFile.Kind(rawValue: text) else {
                    throw RegistryError(.unusable, "there is no derived file of the kind \(text)")
                }
                return kind
            }
            let file = DerivedFile(
                kind, of: try row.parsed("target") { try Digest(hex: $0) },
                from: base.isEmpty ? nil : try row.parsed("base") { try Digest(hex: $0) })
            let path = try file.path(
                in: row.parsed("package") { try PackageID($0) }, row.parsed("version") { try SemanticVersion($0) })
            return (file, path)
        }
    }

    func forget(_ file: DerivedFile) throws {
        try db.execute(
            sql: "DELETE FROM derived WHERE target = ? AND base = ? AND kind = ?",
            arguments: [file.target.hex, file.base?.hex ?? "", file.kind.rawValue])
    }

    /// Patches to a version that are not smaller than its full download, which may be known only after them.
    func worthless(_ target: Digest, full: Int) throws -> [DerivedFile] {
        try Row.fetchAll(
            db, sql: "SELECT base FROM derived WHERE target = ? AND kind = 'patch' AND size >= ?",
            arguments: [target.hex, full]
        ).map { row in DerivedFile(.patch, of: target, from: try row.parsed("base") { try Digest(hex: $0) }) }
    }

    /// What should be there and is not, in the order of its use: patches to what channels offer from what they offered
    /// before, then the full download and the zip of every version.
    func wanted() throws -> [DerivedFile] {
        var wanted: [DerivedFile] = []
        var seen: Set<DerivedFile> = []
        for (base, target) in try pairs() {
            for kind in [DerivedFile.Kind.manifest, .patch] {
                let file = DerivedFile(kind, of: target, from: base)
                if seen.insert(file).inserted, try !isRecorded(file) { wanted.append(file) }
            }
        }
        // The newest first: somebody waits for it.
        for kind in [DerivedFile.Kind.full, .archive] {
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT manifest FROM version WHERE withdrawn IS NULL AND NOT EXISTS
                    (SELECT 1 FROM derived WHERE target = version.manifest AND base = '' AND kind = ?)
                    ORDER BY sequence DESC
                    """,
                arguments: [kind.rawValue])
            for row in rows { wanted.append(DerivedFile(kind, of: try row.parsed("manifest") { try Digest(hex: $0) })) }
        }
        return wanted
    }

    /// Whether a device may ask for a patch that nobody made: to what a channel offers now, or to a bundle that such a
    /// version pins, from any version of the same package that was ever published.
    func isOnDemand(_ file: DerivedFile) throws -> Bool {
        guard let base = file.base, try !isRecorded(file) else { return false }
        let rows = try Row.fetchAll(
            db, sql: "SELECT package, manifest, withdrawn FROM version WHERE manifest IN (?, ?)",
            arguments: [base.hex, file.target.hex])
        guard rows.count == 2, try rows[0].text("package") == rows[1].text("package") else { return false }
        let target = try rows.first { try $0.text("manifest") == file.target.hex }
        guard let target, try target.optionalText("withdrawn") == nil else { return false }
        let isOffered =
            try Row.fetchOne(
                db, sql: "SELECT 1 FROM release WHERE manifest = ? AND removed IS NULL", arguments: [file.target.hex])
            != nil
        if isOffered { return true }
        let offered = try Row.fetchAll(
            db, sql: "SELECT DISTINCT manifest FROM release WHERE manifest IS NOT NULL AND removed IS NULL")
        let versions = VersionTable(db: db)
        return try offered.contains { row in
            let manifest = try versions.manifest(row.parsed("manifest") { try Digest(hex: $0) })
            return manifest?.shared.values.contains { $0.manifest == file.target } ?? false
        }
    }

    /// Versions that devices may go between: the packages of each channel, and the shared bundles that they pin.
    private func pairs() throws -> [(base: Digest, target: Digest)] {
        let releases = ReleaseTable(db: db)
        var pairs: [(Digest, Digest)] = []
        for channel in try releases.channels() {
            let histories = try releases.histories(on: channel).sorted { $0.key < $1.key }
            for (_, history) in histories {
                let bases = history.recentManifests(limit: Self.patchedVersions + 1)
                for release in history.offered {
                    guard case .version(_, let target) = release.offer else { continue }
                    for base in bases where base != target { pairs.append((base, target)) }
                }
            }
        }
        let versions = VersionTable(db: db)
        var pins: [Digest: [PackageID: Manifest.SharedPin]] = [:]
        func shared(_ digest: Digest) throws -> [PackageID: Manifest.SharedPin] {
            if let known = pins[digest] { return known }
            let found = try versions.manifest(digest)?.shared ?? [:]
            pins[digest] = found
            return found
        }
        let bundles = try pairs.flatMap { base, target in
            let before = try shared(base)
            return try shared(target).sorted { $0.key < $1.key }.compactMap { bundle, pin -> (Digest, Digest)? in
                guard let old = before[bundle], old.manifest != pin.manifest else { return nil }
                return (old.manifest, pin.manifest)
            }
        }
        return pairs + bundles
    }
}
