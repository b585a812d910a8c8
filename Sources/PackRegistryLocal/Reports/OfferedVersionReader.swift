import PackFormat
import PackRegistry
import PackRegistrySQL

/// Reads every version that a channel ever offered.
struct OfferedVersionReader {
    let db: Database

    func read() throws -> OfferedVersions {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT release.id, release.channel, release.package, manifest.version, derived.size AS zip FROM release
                LEFT JOIN manifest ON manifest.digest = release.manifest
                LEFT JOIN derived ON derived.target = release.manifest AND derived.kind = 'archive'
                """)
        var offered = OfferedVersions()
        for row in rows {
            try offered.add(
                row.optionalText("version") == nil ? nil : row.parsed("version") { try SemanticVersion($0) },
                of: row.parsed("package") { try PackageID($0) }, on: row.parsed("channel") { try ChannelName($0) },
                release: row.text("id"), zipByteCount: row.optionalInteger("zip"))
        }
        return offered
    }
}
