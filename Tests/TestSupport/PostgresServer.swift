import Foundation
import Synchronization

/// A PostgreSQL server of the tests: a new data folder, loopback only, an unprivileged user. It ends with its owner, and with the
/// process of the tests however that ends.
///
///     let server = try await PostgresServer.shared()
///     let url = server.url                       // postgres://packtool@127.0.0.1:PORT/postgres
package final class PostgresServer: Sendable {
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of Debian's programs, the newest version first.
    private static let root = "/usr/lib/postgresql"
    private static let oldestVersion = 15

    package let port: Int
    private let folder: URL
    /// A shell that keeps the server: it stops it and removes its folder when its input ends.
    private let keeper: Process
    private let input: FileHandle

    private static let one = Mutex<Task<PostgresServer, any Error>?>(nil)

    /// The one server of all tests that do it no harm.
    package static func shared() async throws -> PostgresServer {
        let task = one.withLock { one in
            let task = one ?? Task { try await PostgresServer() }
            one = task
            return task
        }
        return try await task.value
    }

    /// The user `packtool` has all rights and needs no password; `locked` is one whose password is `open-sesame`.
    package init() async throws {
        let programs = try Self.programs()
        port = try LoopbackPort.free(1)[0]
        folder = FileManager.default.temporaryDirectory.appending(path: "postgres-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let keeper = Process()
        self.keeper = keeper
        keeper.executableURL = URL(filePath: "/bin/bash")
        keeper.arguments = ["-c", Self.script, "postgres-of-tests", programs, folder.path, "\(port)"]
        let pipe = Pipe()
        keeper.standardInput = pipe
        let log = folder.deletingLastPathComponent().appending(path: folder.lastPathComponent + ".log")
        try Data().write(to: log)
        keeper.standardOutput = try FileHandle(forWritingTo: log)
        keeper.standardError = try FileHandle(forWritingTo: log)
        input = pipe.fileHandleForWriting
        try keeper.run()
        try await waitUntilReady(log)
        try? FileManager.default.removeItem(at: log)
        _ = try psql("CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'open-sesame'")
    }

    deinit {
        try? input.close()
        keeper.waitUntilExit()
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
        guard process.terminationStatus == 0 else { throw Fault(description: fault) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Kills the server as a power cut does, with all that it was doing; the keeper starts it again at once.
    package func killPostmaster() throws {
        let file = folder.appending(path: "data/postmaster.pid")
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let number = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw Fault(description: "no number of a process in \(file.path)")
        }
        kill(number, SIGKILL)
    }

    /// Kills a process that serves a connection. The server ends all others too, and recovers.
    package func killBackend() throws {
        let text = try psql(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1"
        )
        if let number = Int32(text) { kill(number, SIGKILL) }
    }

    private func waitUntilReady(_ log: URL) async throws {
        for _ in 0..<600 {
            guard keeper.isRunning else { break }
            if (try? psql("SELECT 1")) == "1" { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw Fault(description: "PostgreSQL did not start: \(text.suffix(2000))")
    }

    /// - Throws: where it is not installed, because a test that is not run says nothing.
    private static func programs() throws -> String {
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        let found = versions.filter { $0 >= oldestVersion }.max().map { "\(root)/\($0)/bin" }
        guard let found, FileManager.default.isExecutableFile(atPath: "\(found)/initdb") else {
            throw Fault(
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
