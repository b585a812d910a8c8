import GRDB

/// Settings of the whole registry.
struct SettingTable {
    let db: Database

    /// Nil in a registry that was not made to the end.
    func app() throws -> String? {
        try Row.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'app'")?.text("value")
    }

    func setApp(_ app: String) throws {
        try db.execute(sql: "INSERT INTO setting (name, value) VALUES ('app', ?)", arguments: [app])
    }
}
