import Foundation

/// A SeaweedFS of the tests: an S3-compatible store that checks signatures, on loopback, with one bucket and an empty disk.
///
///     let server = try await SeaweedServer.shared()
///     let address = server.address(prefix: "shop")       // s3://packages/shop?endpoint=http://127.0.0.1:PORT…
///     let environment = server.environment               // AWS_ACCESS_KEY_ID …
package final class SeaweedServer: Sendable {
    package static let bucket = "packages"
    package static let region = "eu-central-1"
    package static let keyID = "AKIDPACKTOOL"
    /// With characters that every encoding of it must keep.
    package static let secret = "secret/of+the=tests"
    /// What the host style has behind the bucket's name.
    package static let domain = "s3.localhost"

    package let port: Int
    private let server: KeptServer

    private static let anyone = #", {"name": "anonymous", "actions": ["Read:packages"]}"#

    private static let one = Task { try await SeaweedServer() }

    /// The one server of all tests that do it no harm.
    package static func shared() async throws -> SeaweedServer { try await one.value }

    /// - Parameter isPublic: everybody may read the bucket's objects.
    package init(isPublic: Bool = false) async throws {
        let program = try Self.program()
        let ports = try LoopbackPort.free(8)
        port = ports[6]
        let identity = """
            {"identities": [{"name": "packtool", "actions": ["Admin", "Read", "List", "Tagging", "Write"],
              "credentials": [{"accessKey": "\(Self.keyID)", "secretKey": "\(Self.secret)"}]}\(isPublic ? Self.anyone : "")]}
            """
        server = try KeptServer(
            "seaweed", script: Self.script, program: program, [Self.domain] + ports.map { "\($0)" },
            files: ["s3.json": identity])
        // The first write waits until the server has made room for the bucket.
        let ready = server.folder.appending(path: "ready").path
        try await server.waitUntil(within: 60) { FileManager.default.fileExists(atPath: ready) }
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
    package func killServer() throws { try server.kill(numberIn: "weed.pid") }

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

    /// Its shell makes the bucket, past S3, and writes into it once.
    private static let script = """
        program=$1 folder=$2 domain=$3
        shift 3
        mkdir "$folder/data"
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
