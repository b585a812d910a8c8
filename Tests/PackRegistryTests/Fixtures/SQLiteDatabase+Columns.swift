@testable import PackRegistryLocal
@testable import PackRegistrySQL

extension SQLiteDatabase {
    /// `table.column` of all tables of a registry, in small letters.
    func columns() throws -> [String] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT lower(t.name || '.' || c.name) AS name FROM sqlite_schema t, pragma_table_info(t.name) c
                    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'grdb_%'
                    """
            ).map { try $0.text("name") }
        }
    }
}
