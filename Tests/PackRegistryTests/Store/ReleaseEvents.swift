import GRDB

@testable import PackRegistryLocal

/// The events of releases as they stand in a database, oldest first.
enum ReleaseEvents {
    static func texts(of database: RegistryDatabase) throws -> [String] {
        try database.read { try Row.fetchAll($0, sql: "SELECT * FROM releaseEvent ORDER BY sequence") }.map { row in
            try "\(row.text("kind")) \(row.text("content"))"
        }
    }

    static func clear(_ database: RegistryDatabase) throws {
        try database.write { try $0.execute(sql: "DELETE FROM releaseEvent") }
    }
}
