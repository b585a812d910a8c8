/// What the tables of this module need of a SQL database: one transaction, or one consistent read.
///
///     try database.write { db in
///         try db.execute(sql: "INSERT INTO setting (name, value) VALUES (?, ?)", arguments: ["app", "shop"])
///     }
///
/// The SQL is what SQLite and PostgreSQL both take. Parameters are written `?`. A call blocks its thread.
package struct Database {
    package let dialect: SQLDialect
    private let connection: any SQLConnection

    package init(_ connection: any SQLConnection, _ dialect: SQLDialect) {
        self.connection = connection
        self.dialect = dialect
    }

    /// - Returns: how many rows were written or removed.
    /// - Throws: what the database's own side throws; nothing of the transaction is kept then.
    @discardableResult
    package func execute(sql: String, arguments: StatementArguments = []) throws -> Int {
        try connection.run(sql, arguments.values).changes
    }

    fileprivate func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try connection.run(sql, arguments.values).rows
    }
}

/// A connection inside a transaction.
package protocol SQLConnection {
    /// Runs one statement, and gives all its rows.
    func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLResult
}

package struct SQLResult: Sendable {
    package let rows: [Row]
    package let changes: Int

    package init(rows: [Row], changes: Int) {
        self.rows = rows
        self.changes = changes
    }
}

/// The few things that the two databases write differently.
package enum SQLDialect: Sendable {
    case sqlite, postgres

    /// The column of a table without a number of its own that is in the order in which rows were added.
    package var rowNumber: String {
        switch self {
        case .sqlite: "rowid"
        case .postgres: "sequence"
        }
    }

    /// The text of a member of the JSON object in a text column.
    package func jsonText(_ column: String, _ key: String) -> String {
        switch self {
        case .sqlite: "json_extract(\(column), '$.\(key)')"
        case .postgres: "((\(column))::json ->> '\(key)')"
        }
    }
}

extension Row {
    package static func fetchAll(
        _ db: Database, sql: String, arguments: StatementArguments = []
    ) throws -> [Row] { try db.rows(sql, arguments) }

    package static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = []
    ) throws -> Row? { try db.rows(sql, arguments).first }
}

extension Int {
    /// The first column of the first row; nil where there is no row, or no value.
    package static func fetchOne(
        _ db: Database, sql: String, arguments: StatementArguments = []
    ) throws -> Int? { try db.rows(sql, arguments).first?.firstInteger() }
}
