/// Settings of the whole registry.
package struct SettingTable {
    /// The name of the setting that has the app. A registry that was not made to the end has none.
    package static let appName = "app"

    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Nil in a registry that was not made to the end.
    package func app() throws -> String? { try value(Self.appName) }

    package func setApp(_ app: String) throws { try set(Self.appName, to: app) }

    package func value(_ name: String) throws -> String? {
        try Row.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])?.text("value")
    }

    /// The settings that there are, by name.
    package func values() throws -> [String: String] {
        let rows = try Row.fetchAll(db, sql: "SELECT name, value FROM setting")
        return Dictionary(try rows.map { (try $0.text("name"), try $0.text("value")) }) { $1 }
    }

    package func set(_ name: String, to value: String) throws {
        try db.execute(sql: "INSERT INTO setting (name, value) VALUES (?, ?)", arguments: [name, value])
    }
}
