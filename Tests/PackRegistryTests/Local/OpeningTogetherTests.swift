import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// A database that several open at the moment it comes into being.
struct OpeningTogetherTests {
    @Test func `a database that eight open before it is there is made once`() throws {
        for _ in 1...20 {
            let folder = try TemporaryFolder()
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let database = try SQLiteDatabase(RegistryFolder(folder.url))
                    let steps = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM grdb_migrations") }
                    guard steps == 16 else { return failures.withLock { $0.append("\(steps ?? 0) steps") } }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
            try #require(failures.withLock { $0 } == [])
        }
    }
}
