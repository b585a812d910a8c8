import Foundation
import GRDB
import PackRegistrySQL

/// One transaction of SQLite, for the tables of every SQL database.
struct SQLiteConnection: SQLConnection {
    private let db: GRDB.Database

    init(_ db: GRDB.Database) {
        self.db = db
    }

    func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLResult {
        let statement = try db.cachedStatement(sql: sql)
        let values = GRDB.StatementArguments(arguments.map(\.databaseValue))
        guard statement.columnCount > 0 else {
            let before = db.totalChangesCount
            try statement.execute(arguments: values)
            return SQLResult(rows: [], changes: db.totalChangesCount - before)
        }
        let columns = PackRegistrySQL.Row.Columns(statement.columnNames)
        var rows: [PackRegistrySQL.Row] = []
        let cursor = try GRDB.Row.fetchCursor(statement, arguments: values)
        while let row = try cursor.next() {
            rows.append(PackRegistrySQL.Row(columns, row.databaseValues.map { SQLValue($0) }))
        }
        return SQLResult(rows: rows, changes: 0)
    }
}

extension SQLValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        // SQLite has no type for times.
        case .time(let date): StoredTime.text(date).databaseValue
        }
    }

    fileprivate init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .integer(Int(value))
            case .string(let text): .text(text)
            case .blob(let data): .bytes([UInt8](data))
            // No table has one; whoever edited the file finds it refused as text.
            case .double(let value): .text("\(value)")
            }
    }
}
