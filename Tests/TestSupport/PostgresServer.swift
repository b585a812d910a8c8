import Foundation

/// A PostgreSQL server of the tests: a new data folder, loopback only, an unprivileged user.
///
///     let server = try await PostgresServer.shared()
///     let url = server.url                       // postgres://packtool@127.0.0.1:PORT/postgres
package final class PostgresServer: Sendable {
    /// The folder of Debian's programs, the newest version first.
    private static let root = "/usr/lib/postgresql"
    private static let oldestVersion = 15

    package let port: Int
    private let server: KeptServer

    private static let one = Task { try await PostgresServer() }

    /// The one server of all tests that do it no harm.
    package static func shared() async throws -> PostgresServer { try await one.value }

    /// The user `packtool` has all rights and needs no password; `locked` is one whose password is `open-sesame`.
    package init() async throws {
        let programs = try Self.programs()
        port = try LoopbackPort.free(1)[0]
        server = try KeptServer("postgres", script: Self.script, program: programs, ["\(port)"])
        try await server.waitUntil(within: 30) { (try? psql("SELECT 1")) == "1" }
        _ = try psql("CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'open-sesame'")
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
    package func killPostmaster() throws { try server.kill(numberIn: "data/postmaster.pid") }

    /// Kills a process that serves a connection. The server ends all others too, and recovers.
    package func killBackend() throws {
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

    private static let script = """
        programs=$1 folder=$2 port=$3
        as=()
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$folder"
            as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
        fi
        run() { cd "$folder" && exec env -i PATH=/usr/bin:/bin LC_ALL=C "${as[@]}" "$@" 3<&-; }
        (run "$programs/initdb" -D "$folder/data" -U packtool -A trust -E UTF8 --no-locale --no-sync) || exit 1
        (run sed -i '1i host all locked 127.0.0.1/32 scram-sha-256' "$folder/data/pg_hba.conf") || exit 1
        exec 3<&0
        (
            while [ -e "$folder/data" ]; do
                # Killed workers hold the memory of the killed server for a moment.
                (run "$programs/postgres" -D "$folder/data" -p "$port" -h 127.0.0.1 -k "$folder" -F \\
                    -c max_connections=200 -c shared_buffers=32MB) < /dev/null
                [ -e "$folder/stopping" ] && break
                sleep 0.1
            done
        ) &
        cat <&3 > /dev/null
        touch "$folder/stopping"
        number=$(head -1 "$folder/data/postmaster.pid" 2> /dev/null) && kill -QUIT "$number" 2> /dev/null
        wait
        rm -rf "$folder"
        """
}
