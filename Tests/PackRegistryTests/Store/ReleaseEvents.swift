@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// The events of releases as they stand in a database, oldest first.
enum ReleaseEvents {
    static func texts(of database: any RegistryDatabase) throws -> [String] {
        try database.read { try Row.fetchAll($0, sql: "SELECT * FROM releaseEvent ORDER BY sequence") }.map { row in
            try "\(row.text("kind")) \(row.text("content"))"
        }
    }

    static func clear(_ database: any RegistryDatabase) throws {
        _ = try database.write { try $0.execute(sql: "DELETE FROM releaseEvent") }
    }
}
