import Foundation

/// A PostgreSQL server of the tests (Tests/Tools/kept_postgres.sh).
///
///     let server = try await PostgresServer.shared()
///     let url = server.url                       // postgres://packtool@127.0.0.1:PORT/postgres
package final class PostgresServer: Sendable {
    /// The folder of Debian's programs, the newest version first.
    private static let root = "/usr/lib/postgresql"
    private static let oldestVersion = 15

    package let port: Int
    /// None where scripts/run-tests.py keeps it.
    private let server: KeptServer?

    private static let one = Task {
        if let ofThisRun { return ofThisRun }
        return try await PostgresServer()
    }

    /// The one that scripts/run-tests.py keeps.
    package static let ofThisRun = ProcessInfo.processInfo.environment["TESTS_POSTGRES_PORT"].flatMap { Int($0) }
        .map { PostgresServer(port: $0, server: nil) }

    /// The one server of all tests that do it no harm.
    package static func shared() async throws -> PostgresServer { try await one.value }

    /// Starts one of its own, for a test that does it harm.
    package convenience init() async throws {
        let (programs, port) = (try Self.programs(), try LoopbackPort.free(1)[0])
        try await self.init(
            port: port,
            server: KeptServer("postgres", script: "kept_postgres.sh", program: programs, ["\(port)"], within: 30))
    }

    private init(port: Int, server: KeptServer?) {
        self.port = port
        self.server = server
    }

    package var url: String { url(database: "postgres") }

    package func url(database: String, user: String = "packtool") -> String {
        "postgres://\(user)@127.0.0.1:\(port)/\(database)"
    }

    /// Makes a database of its own for one test.
    package func newDatabase() throws -> String {
        let name = "t" + UUID().uuidString.lowercased().replacing("-", with: "")
        _ = try psql("CREATE DATABASE \(name)")
        return name
    }

    /// Runs statements with PostgreSQL's own client.
    @discardableResult
    package func psql(_ sql: String, database: String = "postgres") throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: try Self.programs() + "/psql")
        process.arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url(database: database), "-c", sql]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let fault = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw KeptServer.Fault(description: fault) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Kills the server as a power cut does, with all that it was doing; the keeper starts it again at once.
    package func killPostmaster() throws { try own().kill(numberIn: "data/postmaster.pid") }

    /// - Throws: where other tests have the server too.
    private func own() throws -> KeptServer {
        guard let server else { throw KeptServer.Fault(description: "this PostgreSQL is not the test's own") }
        return server
    }

    /// Kills a process that serves a connection. The server ends all others too, and recovers.
    package func killBackend() throws {
        _ = try own()
        let text = try psql(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1"
        )
        if let number = Int32(text) { kill(number, SIGKILL) }
    }

    /// - Throws: where it is not installed, because a test that is not run says nothing.
    private static func programs() throws -> String {
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        let found = versions.filter { $0 >= oldestVersion }.max().map { "\(root)/\($0)/bin" }
        guard let found, FileManager.default.isExecutableFile(atPath: "\(found)/initdb") else {
            throw KeptServer.Fault(
                description: "these tests need PostgreSQL \(oldestVersion) or later: sudo apt-get install postgresql")
        }
        return found
    }
}
