import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A SeaweedFS of the tests: an S3-compatible store that checks signatures, on loopback, with one bucket and an empty disk. It ends
/// with its owner, and with the process of the tests however that ends.
///
///     let server = try await SeaweedServer.shared()
///     let address = server.address(prefix: "shop")       // s3://packages/shop?endpoint=http://127.0.0.1:PORT…
///     let environment = server.environment               // AWS_ACCESS_KEY_ID …
package final class SeaweedServer: Sendable {
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    package static let bucket = "packages"
    package static let region = "eu-central-1"
    package static let keyID = "AKIDPACKTOOL"
    /// With characters that every encoding of it must keep.
    package static let secret = "secret/of+the=tests"
    /// What the host style has behind the bucket's name.
    package static let domain = "s3.localhost"

    package let port: Int
    private let folder: URL
    /// A shell that keeps the server: it kills it and removes its folder when its input ends.
    private let keeper: Process
    private let input: FileHandle

    private static let one = Mutex<Task<SeaweedServer, any Error>?>(nil)

    /// The one server of all tests that do it no harm.
    package static func shared() async throws -> SeaweedServer {
        let task = one.withLock { one in
            let task = one ?? Task { try await SeaweedServer() }
            one = task
            return task
        }
        return try await task.value
    }

    package init() async throws {
        let program = try Self.program()
        let ports = try LoopbackPort.free(8)
        port = ports[6]
        folder = FileManager.default.temporaryDirectory.appending(path: "seaweed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "data"), withIntermediateDirectories: true)
        let identity = """
            {"identities": [{"name": "packtool", "actions": ["Admin", "Read", "List", "Tagging", "Write"],
              "credentials": [{"accessKey": "\(Self.keyID)", "secretKey": "\(Self.secret)"}]}]}
            """
        try Data(identity.utf8).write(to: folder.appending(path: "s3.json"))
        let keeper = Process()
        self.keeper = keeper
        keeper.executableURL = URL(filePath: "/bin/bash")
        keeper.arguments =
            ["-c", Self.script, "seaweed-of-tests", program, folder.path, Self.domain] + ports.map { "\($0)" }
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
    }

    deinit {
        try? input.close()
        keeper.waitUntilExit()
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
        let file = folder.appending(path: "weed.pid")
        let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let number = Int32(text) else { throw Fault(description: "no number of a process in \(file.path)") }
        kill(number, SIGKILL)
    }

    /// The first write waits until the server has made room for the bucket.
    private func waitUntilReady(_ log: URL) async throws {
        let ready = folder.appending(path: "ready").path
        for _ in 0..<1200 {
            guard keeper.isRunning else { break }
            if FileManager.default.fileExists(atPath: ready) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw Fault(description: "SeaweedFS did not start: \(text.suffix(2000))")
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
            throw Fault(description: "these tests need SeaweedFS, and pip cannot get it; see .cache/seaweedfs.log")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Its shell makes the bucket, past S3, and writes into it once.
    private static let script = """
        program=$1 folder=$2 domain=$3
        shift 3
        run() { cd "$folder" && exec env -i PATH=/usr/bin:/bin HOME="$folder" "$@" 3<&-; }
        exec 3<&0
        (
            while [ -e "$folder/data" ]; do
                (run "$program" -logtostderr=true server -dir="$folder/data" -ip=127.0.0.1 -ip.bind=127.0.0.1 \\
                    -master.port="$1" -master.port.grpc="$2" -volume.port="$3" -volume.port.grpc="$4" \\
                    -filer.port="$5" -filer.port.grpc="$6" -s3 -s3.port="$7" -s3.port.grpc="$8" \\
                    -s3.config="$folder/s3.json" -s3.domainName="$domain" -s3.iam=false -s3.autoCreateBucket=false \\
                    -s3.port.iceberg=0 -s3.port.lance=0 -s3.localSocket="$folder/s3.sock" \\
                    -filer.localSocket="$folder/filer.sock" \\
                    -volume.max=20 -volume.minFreeSpace=0 -master.volumeSizeLimitMB=256 -master.telemetry=false) \\
                    < /dev/null &
                echo $! > "$folder/weed.pid"
                wait $!
                [ -e "$folder/stopping" ] && break
                sleep 0.1
            done
        ) &
        (
            until curl -fs -o /dev/null -X POST -H "Content-Length: 0" "http://127.0.0.1:$5/buckets/packages/"; do
                [ -e "$folder/stopping" ] && exit
                sleep 0.1
            done
            until curl -fs -o /dev/null -F file=ready "http://127.0.0.1:$5/buckets/packages/ready"; do
                [ -e "$folder/stopping" ] && exit
                sleep 0.1
            done
            touch "$folder/ready"
        ) < /dev/null &
        cat <&3 > /dev/null
        touch "$folder/stopping"
        number=$(cat "$folder/weed.pid" 2> /dev/null) && kill -KILL "$number" 2> /dev/null
        wait
        rm -rf "$folder" /tmp/seaweedfs-*-grpc-"$2".sock /tmp/seaweedfs-*-grpc-"$4".sock \\
            /tmp/seaweedfs-*-grpc-"$6".sock /tmp/seaweedfs-*-grpc-"$8".sock
        """
}
