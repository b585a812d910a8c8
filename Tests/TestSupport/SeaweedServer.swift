import Foundation

/// A SeaweedFS of the tests (Tests/Tools/kept_seaweedfs.sh).
///
///     let server = try await SeaweedServer.shared()
///     let address = server.address(prefix: "shop")       // s3://packages/shop?endpoint=http://127.0.0.1:PORT…
///     let environment = server.environment               // AWS_ACCESS_KEY_ID …
package final class SeaweedServer: Sendable {
    package static let bucket = "packages"
    package static let region = "eu-central-1"
    package static let keyID = "AKIDPACKTOOL"
    package static let secret = "secret/of+the=tests"
    /// What the host style has behind the bucket's name.
    package static let domain = "s3.localhost"

    package let port: Int
    /// None where scripts/run-tests.py keeps it.
    private let server: KeptServer?

    private static let one = Task {
        if let ofThisRun { return ofThisRun }
        return try await SeaweedServer()
    }

    /// The one that scripts/run-tests.py keeps.
    package static let ofThisRun = ProcessInfo.processInfo.environment["TESTS_SEAWEEDFS_PORT"].flatMap { Int($0) }
        .map { SeaweedServer(port: $0, server: nil) }

    /// The one server of all tests that do it no harm.
    package static func shared() async throws -> SeaweedServer { try await one.value }

    /// Starts one of its own, for a test that does it harm.
    /// - Parameter isPublic: everybody may read the bucket's objects.
    package convenience init(isPublic: Bool = false) async throws {
        let (program, ports) = (try Self.program(), try LoopbackPort.free(8))
        let arguments = [isPublic ? "public" : "private"] + ports.map { "\($0)" }
        try await self.init(
            port: ports[6],
            server: KeptServer(
                "seaweed", script: "kept_seaweedfs.sh", program: program, arguments, within: 60))
    }

    private init(port: Int, server: KeptServer?) {
        self.port = port
        self.server = server
    }

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// - Parameter endpoint: another one, such as that of a proxy.
    package func address(prefix: String, endpoint: String? = nil) -> String {
        "s3://\(Self.bucket)/\(prefix)?endpoint=\(endpoint ?? self.endpoint)&region=\(Self.region)&style=path"
    }

    /// The credentials, as an environment has them.
    package var environment: [String: String] {
        ["AWS_ACCESS_KEY_ID": Self.keyID, "AWS_SECRET_ACCESS_KEY": Self.secret]
    }

    /// Kills the server as a power cut does; the keeper starts it again at once.
    package func killServer() throws {
        guard let server else { throw KeptServer.Fault(description: "this SeaweedFS is not the test's own") }
        try server.kill(numberIn: "weed.pid")
    }

    /// - Throws: where it cannot be installed, because a test that is not run says nothing.
    private static func program() throws -> String {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "scripts/seaweedfs")
        let process = Process()
        process.executableURL = script
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw KeptServer.Fault(
                description: "these tests need SeaweedFS, and pip cannot get it; see .cache/seaweedfs.log")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
