import Foundation
import GRDB
import PackRegistry

extension NetworkNumbers {
    /// Reads the secret, or makes it.
    init(_ db: Database) throws {
        let sql = "SELECT value FROM secret WHERE name = 'network'"
        if let key = try Data.fetchOne(db, sql: sql) {
            self.init(key: Array(key))
            return
        }
        let key = Self.newKey()
        try db.execute(sql: "INSERT INTO secret (name, value) VALUES ('network', ?)", arguments: [Data(key)])
        self.init(key: key)
    }
}
