import Foundation
import TestSupport
import Testing

@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// Copies of rows have all of them.
@Suite("RowCopyTests") struct RowCopyTests {
    @Test func `every column of every table is copied, but leases`() throws {
        let folder = try TemporaryFolder()
        let columns = try SQLiteDatabase(RegistryFolder(folder.url)).columns()
        var copied = RowCopy.tables.flatMap { table in table.columns.map { "\(table.name).\($0)" } }
        copied += RowCopy.deliveries.map { "delivery.\($0)" } + RowCopy.settings.map { "setting.\($0)" }
        #expect(Set(columns.filter { !$0.hasPrefix("lease.") }) == Set(copied.map { $0.lowercased() }))
        for table in RowCopy.tables { #expect(Set(table.key).isSubset(of: table.columns), "\(table.name)") }
    }

    @Test func `more rows than a page come over in their order, and numbers go on after them`() throws {
        let (one, other) = (try TemporaryFolder(), try TemporaryFolder())
        let from = try SQLiteDatabase(RegistryFolder(one.url))
        let to = try SQLiteDatabase(RegistryFolder(other.url))
        let time = Date(timeIntervalSince1970: 1_795_460_722.999)
        try from.write { db in
            for number in 1...450 {
                try db.execute(
                    sql: "INSERT INTO audit (time, actor, action, subject, detail) VALUES (?, 'ann', 'a', ?, '')",
                    arguments: [time, "\(number)"])
                try db.execute(
                    sql: "INSERT INTO metadata (role, version, bytes) VALUES (?, ?, ?)",
                    arguments: ["role \(number % 3)", number, [UInt8(truncatingIfNeeded: number), 0]])
            }
        }
        try from.read { from in
            try to.write { to in try RowCopy(from: from, to: to).run(withoutSettings: []) }
        }
        for sql in [
            "SELECT sequence, time, subject FROM audit ORDER BY sequence",
            "SELECT role, version, bytes FROM metadata ORDER BY role, version",
        ] {
            let rows = try from.read { try Row.fetchAll($0, sql: sql).map(\.values) }
            #expect(rows.count == 450)
            #expect(try to.read { try Row.fetchAll($0, sql: sql).map(\.values) } == rows)
        }
        _ = try to.write { db in
            try db.execute(
                sql: "INSERT INTO audit (time, actor, action, subject, detail) VALUES (?, 'ann', 'a', 'next', '')",
                arguments: [time])
        }
        #expect(try to.read { try Int.fetchOne($0, sql: "SELECT max(sequence) FROM audit") } == 451)
    }
}
