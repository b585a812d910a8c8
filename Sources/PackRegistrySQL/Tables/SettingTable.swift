/// Settings of the whole registry.
package struct SettingTable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Nil in a registry that was not made to the end.
    package func app() throws -> String? { try value("app") }

    package func setApp(_ app: String) throws { try set("app", to: app) }

    package func value(_ name: String) throws -> String? {
        try Row.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])?.text("value")
    }

    package func set(_ name: String, to value: String) throws {
        try db.execute(sql: "INSERT INTO setting (name, value) VALUES (?, ?)", arguments: [name, value])
    }
}
