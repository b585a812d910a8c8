import PackFormat
import PackRegistry
import PackRegistrySQL

/// The compressed forms of objects for the online copies, and the packages that may need some; inside one
/// transaction.
struct EncodingTable {
    let db: Database

    func record(_ object: Digest, _ coding: ContentCoding, size: Int?) throws {
        try db.execute(
            sql: """
                INSERT INTO encoding (object, coding, size) VALUES (?, ?, ?)
                ON CONFLICT (object, coding) DO UPDATE SET size = excluded.size
                """,
            arguments: [object.hex, coding.rawValue, size])
    }

    /// The objects of a package's offered versions whose compressed forms are not made yet, in the order of their digests.
    func wanted(of package: PackageID) throws -> [Object] {
        let releases = ReleaseTable(db: db)
        let versions = VersionTable(db: db)
        var objects: Set<Object> = []
        for channel in try releases.channels() {
            for release in try releases.history(of: package, on: channel).offered {
                guard case .version(_, let digest) = release.offer, let manifest = try versions.manifest(digest) else {
                    continue
                }
                for (path, file) in manifest.files where file.mayBeEncoded(as: MediaType(of: path)) {
                    objects.insert(Object(digest: file.digest, size: file.size))
                }
            }
        }
        return try objects.filter { try !isRecorded($0.digest) }.sorted { $0.digest < $1.digest }
    }

    /// Whether a compressed form was made, and is worth having.
    func isMade(_ object: Digest, _ coding: ContentCoding) throws -> Bool {
        try Row.fetchOne(
            db, sql: "SELECT 1 FROM encoding WHERE object = ? AND coding = ? AND size IS NOT NULL",
            arguments: [object.hex, coding.rawValue]) != nil
    }

    /// Both forms are recorded together.
    private func isRecorded(_ object: Digest) throws -> Bool {
        try Row.fetchOne(db, sql: "SELECT 1 FROM encoding WHERE object = ? LIMIT 1", arguments: [object.hex]) != nil
    }

    /// The packages whose offers changed since somebody looked.
    func packages() throws -> [PackageID] {
        try Row.fetchAll(db, sql: "SELECT package FROM siteWork ORDER BY package").map { row in
            try row.parsed("package") { try PackageID($0) }
        }
    }

    func finish(_ package: PackageID) throws {
        try db.execute(sql: "DELETE FROM siteWork WHERE package = ?", arguments: [package.text])
    }

    struct Made: Hashable, Sendable {
        let object: Digest
        /// nil: one that this program does not know.
        let coding: ContentCoding?
        let size: Int
    }

    /// The compressed forms that were made, and are worth having.
    func made() throws -> [Made] {
        try Row.fetchAll(db, sql: "SELECT object, coding, size FROM encoding WHERE size IS NOT NULL").map { row in
            try Made(
                object: row.parsed("object") { try Digest(hex: $0) },
                coding: ContentCoding(rawValue: row.text("coding")), size: row.integer("size"))
        }
    }

    /// All forms of an object, and that one was not worth having.
    func forget(_ object: Digest) throws {
        try db.execute(sql: "DELETE FROM encoding WHERE object = ?", arguments: [object.hex])
    }

    /// Forms whose files are lost are made again.
    /// - Parameter isThere: for a path in the view.
    func forgetLost(_ isThere: (String) -> Bool) throws {
        var isAnyLost = false
        for form in try made() {
            if let coding = form.coding, isThere(coding.path(of: form.object)) { continue }
            try forget(form.object)
            isAnyLost = true
        }
        guard isAnyLost else { return }
        try db.execute(
            sql: "INSERT INTO siteWork SELECT DISTINCT package FROM version WHERE TRUE ON CONFLICT DO NOTHING")
    }
}
