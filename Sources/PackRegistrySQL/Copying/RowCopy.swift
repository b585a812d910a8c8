import PackRegistryAPI

/// Copies the rows of a registry from one database into another one that has none, whichever kinds they are.
///
///     try source.read { from in try target.write { to in try RowCopy(from: from, to: to).run() } }
///
/// Settings that say where the files are, and leases, are not copied. Numbers of rows stay, because they are the order of events.
package struct RowCopy {
    struct Table {
        let name: String
        let columns: [String]
        /// What the rows are read in the order of.
        let key: [String]
        /// Whether the database gives rows the number in the column `sequence`.
        var isNumbered = false
    }

    /// Rows that are in memory at once.
    private static let pageCount = 200
    private static let times: Set = [
        "uploaded", "published", "created", "removed", "time", "expires", "revoked", "next",
        "pruned",
    ]

    /// A table comes after those that it refers to.
    static let tables = [
        Table(
            name: "manifest",
            columns: [
                "digest", "package", "version", "bytes", "requiredApp", "hasEntry", "fileCount", "size", "uploaded",
                "uploadedBy", "state",
            ], key: ["digest"]),
        Table(
            name: "version",
            columns: [
                "sequence", "package", "version", "manifest", "published", "publishedBy", "withdrawn", "note",
                "sourceCommit", "pruned",
            ], key: ["sequence"], isNumbered: true),
        Table(
            name: "release",
            columns: [
                "sequence", "id", "channel", "package", "manifest", "percent", "retry", "created", "createdBy",
                "removed", "share", "audiences", "policy", "setID", "app",
            ], key: ["sequence"], isNumbered: true),
        Table(
            name: "releaseEvent", columns: ["sequence", "release", "time", "actor", "kind", "content"],
            key: ["sequence"], isNumbered: true),
        Table(
            name: "approvalEvent", columns: ["sequence", "change", "channel", "time", "actor", "kind", "content"],
            key: ["sequence"], isNumbered: true),
        Table(
            name: "token",
            columns: ["id", "name", "hash", "scope", "created", "expires", "revoked", "trust", "parent"], key: ["id"]),
        Table(
            name: "audit", columns: ["sequence", "time", "actor", "action", "subject", "detail"], key: ["sequence"],
            isNumbered: true),
        Table(name: "provenance", columns: ["package", "version", "bytes"], key: ["package", "version"]),
        Table(name: "metadata", columns: ["role", "version", "bytes"], key: ["role", "version"]),
        Table(
            name: "channelFile", columns: ["digest", "channel", "bytes", "sequence", "format"],
            key: ["channel", "digest"]),
        Table(
            name: "groupFile", columns: ["digest", "channel", "name", "bytes", "sequence"],
            key: ["channel", "name", "digest"]),
        Table(name: "pin", columns: ["bundle", "manifest"], key: ["bundle", "manifest"]),
        Table(name: "object", columns: ["digest", "size"], key: ["digest"]),
        Table(name: "derived", columns: ["target", "base", "kind", "size"], key: ["target", "base", "kind"]),
        Table(name: "encoding", columns: ["object", "coding", "size"], key: ["object", "coding"]),
        Table(name: "work", columns: ["package"], key: ["package"]),
        Table(name: "siteWork", columns: ["package"], key: ["package"]),
        Table(
            name: "webhook",
            columns: ["id", "url", "format", "kinds", "secret", "created", "createdBy", "position"], key: ["id"]),
        Table(name: "removal", columns: ["path"], key: ["path"]),
        Table(name: "expiryNotice", columns: ["name"], key: ["name"]),
    ]
    /// Its rows get new numbers in the same order: SQLite keeps those of this table to itself.
    static let deliveries = [
        "id", "webhook", "kind", "body", "created", "attempts", "next", "error",
    ]
    static let settings = ["name", "value"]

    private let from: Database
    private let to: Database

    package init(from: Database, to: Database) {
        self.from = from
        self.to = to
    }

    /// - Parameter left: the names of settings that are not copied.
    package func run(withoutSettings left: Set<String>) throws {
        for row in try Row.fetchAll(from, sql: "SELECT name, value FROM setting ORDER BY name") {
            guard try !left.contains(row.text("name")) else { continue }
            try SettingTable(db: to).set(row.text("name"), to: row.text("value"))
        }
        for table in Self.tables { try copy(table) }
        try copyDeliveries()
    }

    private func copy(_ table: Table) throws {
        let names = table.columns.joined(separator: ", ")
        let keys = table.key.joined(separator: ", ")
        var last: [SQLValue] = []
        while true {
            let condition = last.isEmpty ? "" : "WHERE (\(keys)) > (\(databaseQuestionMarks(count: last.count))) "
            let rows = try Row.fetchAll(
                from, sql: "SELECT \(names) FROM \(table.name) \(condition)ORDER BY \(keys) LIMIT \(Self.pageCount)",
                arguments: StatementArguments(values: last))
            for row in rows { try insert(row, into: table.name, table.columns, isNumbered: table.isNumbered) }
            guard rows.count == Self.pageCount, let end = rows.last else { break }
            last = table.key.map { end[$0] }
        }
        if table.isNumbered { try to.continueNumbers(of: table.name) }
    }

    private func copyDeliveries() throws {
        let names = Self.deliveries.joined(separator: ", ")
        for row in try Row.fetchAll(from, sql: "SELECT \(names) FROM delivery ORDER BY \(from.dialect.rowNumber)") {
            try insert(row, into: "delivery", Self.deliveries, isNumbered: false)
        }
    }

    private func insert(_ row: Row, into table: String, _ columns: [String], isNumbered: Bool) throws {
        let values = try columns.map { column -> SQLValue in
            // SQLite has no type for times, and PostgreSQL takes a text for a time of the place where it runs.
            guard Self.times.contains(column) else { return row[column] }
            return try row.optionalDate(column).map { .time($0) } ?? .null
        }
        try to.execute(
            sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) "
                + (isNumbered ? to.dialect.withOwnNumbers : "")
                + "VALUES (\(databaseQuestionMarks(count: columns.count)))",
            arguments: StatementArguments(values: values))
    }
}

extension SQLDialect {
    /// What a row needs whose number is given, and not the database's.
    fileprivate var withOwnNumbers: String {
        switch self {
        case .sqlite: ""
        case .postgres: "OVERRIDING SYSTEM VALUE "
        }
    }
}

extension Database {
    /// Lets the database give numbers after the largest one that is there.
    fileprivate func continueNumbers(of table: String) throws {
        switch dialect {
        // It looks at the rows itself.
        case .sqlite: break
        case .postgres:
            _ = try Row.fetchOne(
                self,
                sql: "SELECT setval(pg_get_serial_sequence('\(table)', 'sequence'), max(sequence)) FROM \(table)")
        }
    }
}
