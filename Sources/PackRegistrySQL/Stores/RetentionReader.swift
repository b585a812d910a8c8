import PackFormat
package import PackRegistry

/// Reads what decides which versions keep their files, inside one transaction. What devices have is not in these tables.
package struct RetentionReader {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    package func facts() throws -> RetentionFacts {
        var facts = RetentionFacts()
        facts.versions = try Row.fetchAll(
            db,
            sql: """
                SELECT version.package, version.version, version.manifest, published, withdrawn, pruned, uploaded
                FROM version JOIN manifest ON manifest.digest = version.manifest ORDER BY sequence
                """
        ).map { row in
            try RetentionFacts.Version(
                name: VersionName(
                    row.parsed("package") { try PackageID($0) }, row.parsed("version") { try SemanticVersion($0) }),
                manifest: row.parsed("manifest") { try Digest(hex: $0) },
                published: max(row.date("published"), row.date("uploaded")),
                isWithdrawn: row.optionalText("withdrawn") != nil, isPruned: row.optionalDate("pruned") != nil)
        }
        let releases = ReleaseTable(db: db)
        for channel in try releases.channels() { facts.histories += try releases.histories(on: channel).values }
        for row in try Row.fetchAll(
            db,
            sql: """
                SELECT release, max(time) AS time FROM releaseEvent WHERE kind IN ('add', 'update') GROUP BY release
                """)
        {
            facts.changed[try row.text("release")] = try row.date("time")
        }
        for row in try Row.fetchAll(db, sql: "SELECT bundle, manifest FROM pin") {
            let manifest = try row.parsed("manifest") { try Digest(hex: $0) }
            facts.bundles[manifest, default: []].insert(try row.parsed("bundle") { try Digest(hex: $0) })
        }
        return facts
    }
}
