import PackRegistryAPI
import PackRegistrySQL

/// The schema and the steps from older ones. A released step is never edited.
///
/// Tables and columns have the names of SQLite's (`RegistrySchema`), because the same statements run on both; a test compares
/// them. Steps that both need have the same name.
struct PostgresSchema {
    struct Step {
        let name: String
        let sql: String
    }

    /// What a schema holds, for messages.
    let content: String
    let steps: [Step]

    static let registry = PostgresSchema(content: "registry", steps: registrySteps)

    private static let registrySteps = [
        Step(name: "the first tables", sql: firstTables),
        Step(name: "webhooks", sql: webhooks),
        Step(name: "proposed changes", sql: proposedChanges),
        Step(name: "state of the data of versions", sql: "ALTER TABLE manifest ADD COLUMN state TEXT"),
        Step(
            name: "versions without files, files to remove",
            sql: """
                ALTER TABLE version ADD COLUMN pruned TIMESTAMPTZ;
                CREATE TABLE removal (path TEXT COLLATE "C" PRIMARY KEY NOT NULL);
                """),
        Step(
            name: "trust in issuers of id tokens",
            sql: "ALTER TABLE token ADD COLUMN trust TEXT; ALTER TABLE token ADD COLUMN parent TEXT COLLATE \"C\""),
        Step(
            name: "provenance of versions",
            sql: """
                CREATE TABLE provenance (
                    package TEXT COLLATE "C" NOT NULL, version TEXT COLLATE "C" NOT NULL, bytes BYTEA NOT NULL,
                    PRIMARY KEY (package, version))
                """),
    ]

    /// Any number that no other program uses for a lock of its own.
    private static let lock = 7_236_419_008_251

    /// How long a step may take, and how long it waits for another program's.
    private static let time: Duration = .seconds(600)
    private static let limits = "SET LOCAL statement_timeout TO '10min'; SET LOCAL lock_timeout TO '10min'"

    /// Makes or migrates the schema, once among all processes.
    /// - Parameter isMade: whether it is made where there is none.
    /// - Returns: whether there was one of an earlier program.
    /// - Throws: ``RegistryError`` of the kind `.unusable` for one of a newer program, `.notFound` where there is none.
    func migrate(_ connection: PostgresConnection, schema: String, name: String, isMade: Bool) throws -> Bool {
        if try isDone(connection, name) { return false }
        let before = try done(connection, schema, name)
        if before == steps.count { return false }
        guard before > 0 || isMade else {
            throw RegistryError(
                .notFound,
                "there is no \(content) in \(name): make one with packtool init, or, if there was one, restore the database first "
                    + "(docs/SCALING.md)")
        }
        try connection.command("BEGIN; \(Self.limits); SELECT pg_advisory_xact_lock(\(Self.lock))", for: Self.time)
        // Somebody else may have been there first.
        let count = try done(connection, schema, name)
        if count == 0 {
            let known = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = ?) AS found"
            if try !Self.exists(known, schema, connection) {
                try connection.command("CREATE SCHEMA \"\(schema)\"")
            }
            try connection.command(
                """
                CREATE TABLE migration (
                    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied TIMESTAMPTZ NOT NULL DEFAULT now())
                """)
        }
        for (number, step) in steps.enumerated().dropFirst(count) {
            try connection.command(step.sql, for: Self.time)
            _ = try connection.run(
                "INSERT INTO migration (number, name) VALUES (?, ?)", [.integer(number), .text(step.name)])
        }
        try connection.command("COMMIT")
        return (1..<steps.count).contains(count)
    }

    /// Whether there is nothing to do, with one question.
    private func isDone(_ connection: PostgresConnection, _ name: String) throws -> Bool {
        do { return try count(connection, name) == steps.count } catch let fault as PostgresFault
            where fault.isMissingTable
        { return false }
    }

    /// How many steps are done.
    private func done(_ connection: PostgresConnection, _ schema: String, _ name: String) throws -> Int {
        // Not to_regclass: it takes no lock, so a session that has looked before may not see what another one made meanwhile.
        // Not pg_tables either: a new session plans its joins for some milliseconds.
        let known = """
            SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class AS named JOIN pg_catalog.pg_namespace AS space
                ON space.oid = named.relnamespace WHERE space.nspname = ? AND named.relname = 'migration'
                AND named.relkind IN ('r', 'p')) AS found
            """
        return try Self.exists(known, schema, connection) ? count(connection, name) : 0
    }

    private func count(_ connection: PostgresConnection, _ name: String) throws -> Int {
        let names = try connection.run("SELECT name FROM migration ORDER BY number", []).rows.map {
            try $0.text("name")
        }
        guard names == steps.prefix(names.count).map(\.name) else {
            throw RegistryError(
                .unusable,
                "the \(content) in \(name) was written by a newer packtool: update packtool, or use the registry over HTTP"
            )
        }
        return names.count
    }

    private static func exists(_ sql: String, _ text: String, _ connection: PostgresConnection) throws -> Bool {
        try connection.run(sql, [.text(text)]).rows.first?.integer("found") == 1
    }
}
