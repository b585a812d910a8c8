import Foundation
import PackRegistryAPI
import TestSupport
import Testing

@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// The audit log of a registry that has been at work for long.
@Suite("AuditTableTests") struct AuditTableTests {
    @Test func `entries far back in the log are found, newest first, and no more than asked for`() throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase(RegistryFolder(folder.url))
        let start = Date(timeIntervalSince1970: 1_795_460_000)
        try database.write { db in
            for number in 1...2_500 {
                try db.execute(
                    sql: "INSERT INTO audit (time, actor, action, subject, detail) VALUES (?, 'ann', 'release', ?, ?)",
                    arguments: [start + Double(number), number % 1_200 == 3 ? "shop on beta" : "help", "\(number)"])
            }
        }
        func details(limit: Int, _ choose: (inout AuditQuery) -> Void) throws -> [String] {
            var query = AuditQuery(limit: limit)
            choose(&query)
            return try database.read { try AuditTable(db: $0).newest(query) }.map(\.detail)
        }
        #expect(try details(limit: 10) { $0.subject = ["shop"] } == ["2403", "1203", "3"])
        #expect(try details(limit: 2) { $0.subject = ["shop"] } == ["2403", "1203"])
        #expect(try details(limit: 10_000) { $0.action = "release" }.count == 2_500)
        #expect(try details(limit: 3) { _ in } == ["2500", "2499", "2498"])
        let recent = try details(limit: 10) {
            $0.subject = ["shop"]
            $0.since = start + 1_203
        }
        #expect(recent == ["2403", "1203"])
    }
}
