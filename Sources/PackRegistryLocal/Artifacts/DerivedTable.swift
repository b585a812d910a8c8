import Foundation
import PackFormat
import PackRegistry
import PackRegistrySQL

/// Records which derived files were made, or found not worth keeping; inside one transaction.
struct DerivedTable {
    let db: Database

    /// Records a file; `size` nil: it was not worth having.
    func record(_ file: DerivedFile, size: Int?) throws {
        try db.execute(
            sql: """
                INSERT INTO derived (target, base, kind, size) VALUES (?, ?, ?, ?)
                ON CONFLICT (target, base, kind) DO UPDATE SET size = excluded.size
                """,
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

    struct Entry: Hashable, Sendable {
        let package: PackageID
        let file: DerivedFile
        /// In the view.
        let path: ViewPath
        /// nil: it was found not worth having.
        let size: Int?
    }

    /// Every file that is recorded.
    func entries() throws -> [Entry] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT derived.kind, derived.target, derived.base, derived.size, version.package, version.version
                FROM derived JOIN version ON version.manifest = derived.target
                """
        ).map { row in
            guard let kind = DerivedFile.Kind(rawValue: try row.text("kind")) else { throw Row.damaged("kind") }
            let base = try row.text("base").isEmpty ? nil : row.parsed("base") { try Digest(hex: $0) }
            let file = DerivedFile(kind, of: try row.parsed("target") { try Digest(hex: $0) }, from: base)
            let package = try row.parsed("package") { try PackageID($0) }
            let path = file.path(in: package, try row.parsed("version") { try SemanticVersion($0) })
            return Entry(package: package, file: file, path: path, size: try row.optionalInteger("size"))
        }
    }

    /// The sizes of the full downloads that were made, by their versions.
    func fullSizes() throws -> [Digest: Int] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT target, size FROM derived WHERE kind = 'full' AND base = '' AND size IS NOT NULL")
        var sizes: [Digest: Int] = [:]
        for row in rows { sizes[try row.parsed("target") { try Digest(hex: $0) }] = try row.optionalInteger("size") }
        return sizes
    }

    /// Whether there should be files of a kind.
    func hasMade(_ kind: DerivedFile.Kind) throws -> Bool {
        try Row.fetchOne(
            db, sql: "SELECT 1 FROM derived WHERE kind = ? AND size IS NOT NULL LIMIT 1", arguments: [kind.rawValue])
            != nil
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

    /// The missing patches of a package: to the versions that channels offer from those they offered before, and
    /// between the shared bundles that these pin.
    func wantedPatches(of package: PackageID) throws -> [DerivedFile] {
        var wanted: [DerivedFile] = []
        let pruned = try prunedManifests()
        for pair in try PatchPairs(db: db).all(of: package)
        where !pruned.contains(pair.base) && !pruned.contains(pair.target) {
            wanted += try missing(pair)
        }
        return wanted
    }

    /// The files for devices that move between two versions, without those that are recorded.
    func missing(_ pair: PatchPairs.Pair) throws -> [DerivedFile] {
        try [DerivedFile.Kind.manifest, .patch, .update]
            .map { DerivedFile($0, of: pair.target, from: pair.base) }.filter { try !isRecorded($0) }
    }

    /// The versions whose files were removed to save space.
    func prunedManifests() throws -> Set<Digest> {
        try Set(
            Row.fetchAll(db, sql: "SELECT manifest FROM version WHERE pruned IS NOT NULL").map { row in
                try row.parsed("manifest") { try Digest(hex: $0) }
            })
    }

    /// The missing full downloads and then zips of a package's versions, the newest version first, because somebody
    /// waits for it.
    func wantedDownloads(of package: PackageID) throws -> [DerivedFile] {
        var wanted: [DerivedFile] = []
        for kind in [DerivedFile.Kind.full, .archive] {
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT manifest FROM version WHERE package = ? AND withdrawn IS NULL AND pruned IS NULL AND NOT EXISTS
                    (SELECT 1 FROM derived WHERE target = version.manifest AND base = '' AND kind = ?)
                    ORDER BY sequence DESC
                    """,
                arguments: [package.text, kind.rawValue])
            for row in rows { wanted.append(DerivedFile(kind, of: try row.parsed("manifest") { try Digest(hex: $0) })) }
        }
        return wanted
    }

    /// Whether a device may ask for a patch that nobody made: to what a channel offers now, or to a bundle that such a
    /// version pins, from any version of the same package that was ever published and has its files.
    func isOnDemand(_ file: DerivedFile) throws -> Bool {
        guard let base = file.base, try !isRecorded(file) else { return false }
        let rows = try Row.fetchAll(
            db, sql: "SELECT package, manifest, withdrawn FROM version WHERE pruned IS NULL AND manifest IN (?, ?)",
            arguments: [base.hex, file.target.hex])
        guard rows.count == 2, try rows[0].text("package") == rows[1].text("package") else { return false }
        let target = try rows.first { try $0.text("manifest") == file.target.hex }
        guard let target, try target.optionalText("withdrawn") == nil else { return false }
        return try isOffered(file.target)
    }

    /// Whether a channel offers a version now, or one that pins it.
    private func isOffered(_ target: Digest) throws -> Bool {
        try Row.fetchOne(
            db,
            sql: """
                SELECT 1 FROM release WHERE manifest = ? AND removed IS NULL
                UNION ALL
                SELECT 1 FROM pin JOIN release ON release.manifest = pin.manifest
                WHERE pin.bundle = ? AND release.removed IS NULL LIMIT 1
                """,
            arguments: [target.hex, target.hex]) != nil
    }
}
