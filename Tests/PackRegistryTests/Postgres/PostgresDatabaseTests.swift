import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryPostgres
@testable import PackRegistrySQL

/// What only PostgreSQL can do wrong.
struct PostgresDatabaseTests {
    @Test func `both databases have the same tables and columns`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try SQLiteDatabase(RegistryFolder(folder.url))
        let ours = try sqlite.columns()
        let schema = PostgresBench.newSchema()
        let theirs = try await PostgresBench.database(schema).reading { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
                    WHERE table_schema = ? AND table_name NOT IN ('migration', 'writer', 'recorded')
                    """,
                arguments: [schema]
            ).map { try $0.text("name") }
        }
        #expect(Set(ours).subtracting(theirs) == [], "these are missing in PostgreSQL")
        // SQLite numbers the rows of every table by itself.
        #expect(Set(theirs).subtracting(ours + ["delivery.sequence"]) == [], "these are in PostgreSQL only")
    }

    @Test func `values come back as they were written`() async throws {
        let database = try await PostgresBench.database()
        let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
        let times = [0.0, -86_400.123, 1_795_460_722.999, 4_102_444_800].map { Date(timeIntervalSince1970: $0) }
        let texts = ["", "O'Neil \\ \" $1 ?", "żółw 🐢 \u{0301}", String(repeating: "x", count: 100_000)]
        try await database.writing { db in
            for (index, text) in texts.enumerated() {
                try SettingTable(db: db).set("text \(index)", to: text)
            }
            try db.execute(
                sql: "INSERT INTO metadata (role, version, bytes) VALUES (?, ?, ?)",
                arguments: ["root", Int.max, bytes])
            for time in times {
                try db.execute(
                    sql: "INSERT INTO audit (time, actor, action, subject, detail) VALUES (?, '', '', '', '')",
                    arguments: [time])
            }
        }
        try await database.reading { db in
            for (index, text) in texts.enumerated() {
                #expect(try SettingTable(db: db).value("text \(index)").map { Array($0.utf8) } == Array(text.utf8))
            }
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM metadata"))
            #expect(try row.blob("bytes") == bytes)
            #expect(try row.integer("version") == Int.max)
            let found = try Row.fetchAll(db, sql: "SELECT time FROM audit ORDER BY sequence").map {
                try $0.date("time")
            }
            for (time, found) in zip(times, found) { #expect(abs(time.timeIntervalSince(found)) < 0.0005) }
        }
        await #expect(throws: RegistryError.self) {
            try await database.writing { try SettingTable(db: $0).set("zero", to: "a\0b") }
        }
    }

    @Test func `a connection with many statements keeps those that came last prepared`() async throws {
        var limits = PostgresBench.small
        limits.connections = 1
        let database = try await PostgresBench.database(limits: limits)
        let count = try await database.reading { db in
            for number in 0..<400 {
                for _ in 0..<2 {
                    let row = try #require(
                        try Row.fetchOne(db, sql: "SELECT CAST(? AS BIGINT) AS n\(number)", arguments: [number]))
                    #expect(try row.integer("n\(number)") == number)
                }
            }
            let row = try #require(try Row.fetchOne(db, sql: "SELECT count(*) AS number FROM pg_prepared_statements"))
            return try row.integer("number")
        }
        #expect(count == 256)
    }

    @Test(arguments: [
        "DELETE FROM version", "UPDATE version SET version = '9.9.9'", "DELETE FROM audit",
        "UPDATE audit SET actor = 'eve'",
        "TRUNCATE audit", "TRUNCATE releaseEvent", "DELETE FROM releaseEvent",
    ])
    func `what is published and what was done cannot be taken back`(sql: String) async throws {
        let bench = try await StoreBench(.postgres)
        try await bench.publish("alpha", "1.0.0")
        _ = try await bench.committer.commit(
            bench.release(.offer(SemanticVersion("1.0.0")), "alpha"), as: bench.ann)
        let before = try await bench.picture()
        let database = try #require(bench.database)
        let error = await #expect(throws: RegistryError.self) {
            try await database.writing { try $0.execute(sql: sql) }
        }
        #expect(
            error?.message.contains("append-only") == true || error?.message.contains("never") == true,
            "\(error?.message ?? "")")
        #expect(try await bench.picture() == before)
    }

    @Test func `a schema of a newer program is refused`() async throws {
        let schema = PostgresBench.newSchema()
        let database = try await PostgresBench.database(schema)
        _ = try await database.writing {
            try $0.execute(sql: "INSERT INTO migration (number, name) VALUES (99, 'from the future')")
        }
        let error = await #expect(throws: RegistryError.self) { try await PostgresBench.database(schema) }
        #expect(error?.kind == .unusable && error?.message.contains("newer packtool") == true)
    }

    @Test func `a lease runs out by the clock of the database, not of whoever holds it`() async throws {
        let schema = PostgresBench.newSchema()
        let (one, two) = try await (
            SQLLeases(PostgresBench.database(schema), clock: .database),
            SQLLeases(PostgresBench.database(schema), clock: .database)
        )
        let lease = try #require(try await one.acquire(.server, for: .milliseconds(400), as: "one"))
        #expect(try await two.acquire(.server, for: .seconds(60), as: "two") == nil)
        while try await two.holder(of: .server) != nil { try await Task.sleep(for: .milliseconds(20)) }
        let next = try #require(try await two.acquire(.server, for: .seconds(60), as: "two"))
        #expect(next.number == lease.number + 1)
        await #expect(throws: LostLease(.server)) { try await one.renew(lease, for: .seconds(60)) }
    }

    // MARK: Time

    @Test func `a statement that takes too long is ended, and the next one runs`() async throws {
        var limits = PostgresBench.small
        limits.statement = .milliseconds(200)
        let database = try await PostgresBench.database(limits: limits)
        let begun = ContinuousClock.now
        let error = await #expect(throws: RegistryError.self) {
            try await database.reading { _ = try Row.fetchAll($0, sql: "SELECT pg_sleep(60)::TEXT AS slept") }
        }
        #expect(error?.kind == .busy && ContinuousClock.now - begun < .seconds(10))
        #expect(try await database.reading { try SettingTable(db: $0).app() } == nil)
    }

    @Test func `a transaction that fails at its first statement leaves its connection as it was`() async throws {
        var limits = PostgresBench.small
        limits.connections = 1
        let database = try await PostgresBench.database(limits: limits)
        var processes: Set<Int> = []
        // The first use of a statement, the one that prepares it, and later ones; first in a transaction, and after another.
        for round in 1...4 {
            await #expect(throws: RegistryError.self) {
                try await database.reading { _ = try Row.fetchAll($0, sql: "SELECT none FROM setting") }
            }
            await #expect(throws: RegistryError.self) {
                try await database.writing { try $0.execute(sql: "INSERT INTO none VALUES (1)") }
            }
            let found = try await database.reading { db in
                try [round, 10 * round].map { number in
                    let row = try Row.fetchOne(
                        db, sql: "SELECT ?::bigint AS number, pg_backend_pid() AS process", arguments: [number])
                    let found = try #require(row)
                    return (try found.integer("number"), try found.integer("process"))
                }
            }
            #expect(found.map(\.0) == [round, 10 * round])
            processes.formUnion(found.map(\.1))
            // One that only reads nothing.
            try await database.reading { _ in }
        }
        #expect(processes.count == 1)
    }

    @Test func `a writer that stands still is thrown out, and records nothing`() async throws {
        let schema = PostgresBench.newSchema()
        var limits = PostgresBench.small
        limits.idle = .milliseconds(300)
        limits.patience = .zero
        let sleeper = try await PostgresBench.database(schema, limits: limits)
        let other = try await PostgresBench.database(schema)
        let late = Task {
            try await sleeper.writing { db in
                try SettingTable(db: db).set("who", to: "the sleeper")
                Thread.sleep(forTimeInterval: 1.5)
                try SettingTable(db: db).set("again", to: "the sleeper")
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        try await other.writing { try SettingTable(db: $0).set("who", to: "the other") }
        await #expect(throws: RegistryError.self) { try await late.value }
        #expect(try await other.reading { try SettingTable(db: $0).value("who") } == "the other")
        #expect(try await other.reading { try SettingTable(db: $0).value("again") } == nil)
    }

    @Test func `all wait for an outage together, and after it as long as for the first`() async throws {
        var limits = PostgresBench.small
        (limits.patience, limits.firstPatience) = (.seconds(40), .seconds(2))
        let address = try await PostgresAddress(PostgresServer.shared().url)
        let pool = PostgresPool(address, schema: PostgresBench.newSchema(), limits: limits)
        let start = ContinuousClock.now
        #expect(pool.noteAway(begun: start) == start + .seconds(2), "it never answered")
        _ = try pool.made()
        #expect(pool.noteAway(begun: start) == start + .seconds(40))
        #expect(pool.noteAway(begun: start + .seconds(10)) == start + .seconds(40))
        #expect(pool.noteAway(begun: start + .seconds(39)) == start + .seconds(41))
        #expect(pool.noteAway(begun: start + .seconds(600)) == start + .seconds(602))
        pool.noteReached()
        #expect(pool.noteAway(begun: start + .seconds(700)) == start + .seconds(740))
    }

    @Test func `a database that is away for long is not waited for by each request anew`() async throws {
        var limits = PostgresBench.small
        (limits.patience, limits.firstPatience) = (.seconds(3), .zero)
        var server: PostgresServer? = try await PostgresServer()
        let database = try await PostgresDatabase.open(
            PostgresAddress(server?.url ?? ""), schema: PostgresBench.newSchema(), limits: limits)
        server = nil
        var times: [Duration] = []
        for _ in 0..<2 {
            let begun = ContinuousClock.now
            let error = await #expect(throws: RegistryError.self) {
                try await database.reading { try SettingTable(db: $0).value("who") }
            }
            #expect(error?.kind == .unreachable)
            times.append(.now - begun)
        }
        #expect(times[0] >= .seconds(3))
        #expect(times[1] < .seconds(2))
    }

    // MARK: Addresses and secrets

    @Test func `a password is in no message`() async throws {
        let server = try await PostgresServer.shared()
        let right = "postgres://locked:open-sesame@127.0.0.1:\(server.port)/postgres"
        let address = try PostgresAddress(right)
        #expect(address.hasSecret && !"\(address)".contains("sesame") && !address.withoutSecrets.contains("sesame"))
        #expect("\(address)" == "postgres://locked@127.0.0.1:\(server.port)/postgres")
        _ = try await PostgresDatabase.open(address, schema: PostgresBench.newSchema())
        for text in [
            right.replacing("sesame", with: "sosame"), right.replacing(":open-sesame", with: ""),
            right.replacing(":open-sesame", with: "") + "?password=wrong-sesame",
        ] {
            let address = try PostgresAddress(text)
            let error = await #expect(throws: RegistryError.self) {
                try await PostgresDatabase.open(address, schema: PostgresBench.newSchema())
            }
            #expect(
                error?.kind == .unusable && error?.message.contains("PGPASSFILE") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("same") == false, "\(error?.message ?? "")")
        }
        for text in ["postgres://a:se cret@[::1", "postgres://a:%zz@b/c?what=secret"] {
            let error = #expect(throws: RegistryError.self) { try PostgresAddress(text) }
            #expect(error?.kind == .invalid && error?.message.contains("cret") == false)
        }
    }

    @Test func `a database that is not there is told at once`() async throws {
        let address = try PostgresAddress("postgres://nobody@127.0.0.1:1/none")
        let begun = ContinuousClock.now
        let error = await #expect(throws: RegistryError.self) { try await PostgresDatabase.open(address) }
        #expect(error?.kind == .unreachable && ContinuousClock.now - begun < .seconds(10))
        #expect(error?.message.hasPrefix("postgres://nobody@127.0.0.1:1/none cannot be reached") == true)
    }

    @Test func `parameters are numbered`() {
        #expect(
            PostgresHandle.numbered("INSERT INTO a VALUES (?, ?), (?, 1)") == "INSERT INTO a VALUES ($1, $2), ($3, 1)")
    }
}
