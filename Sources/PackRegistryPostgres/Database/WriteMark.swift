import Foundation
import PackRegistrySQL

/// A row that each writing transaction leaves, so that its end can be found out where the connection broke just then. It is found
/// in the database itself, and so after a failover tells what the new server has.
struct WriteMark {
    private let text: String

    static func put(_ connection: PostgresConnection) throws -> WriteMark {
        let mark = WriteMark(text: UUID().uuidString)
        _ = try connection.run(
            """
            WITH old AS (DELETE FROM recorded WHERE time < now() - INTERVAL '1 hour')
            INSERT INTO recorded (mark) VALUES (?)
            """, [.text(mark.text)])
        return mark
    }

    func isThere(_ connection: PostgresConnection) throws -> Bool {
        try !connection.run("SELECT 1 AS found FROM recorded WHERE mark = ?", [.text(text)]).rows.isEmpty
    }
}
