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

    /// What should be there and is not, in the order of its use: downloads of every version first, then patches to
    /// what channels offer from what they offered before.
    func wanted() throws -> [DerivedFile] {
        var wanted: [DerivedFile] = []
        let versions = try VersionTable(db: db).allPublished().filter { $0.withdrawn == nil }
        for version in versions {
            wanted.append(DerivedFile(.full, of: version.manifest))
            wanted.append(DerivedFile(.archive, of: version.manifest))
        }
        for (base, target) in try pairs() {
            wanted.append(DerivedFile(.manifest, of: target, from: base))
            wanted.append(DerivedFile(.patch, of: target, from: base))
        }
        let made = try Set(
            Row.fetchAll(db, sql: "SELECT target, base, kind FROM derived").map { row in
                try "\(row.text("kind")) \(row.text("target")) \(row.text("base"))"
            })
        var seen: Set<DerivedFile> = []
        return wanted.filter { file in
            !made.contains("\(file.kind.rawValue) \(file.target.hex) \(file.base?.hex ?? "")")
                && seen.insert(file).inserted
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
