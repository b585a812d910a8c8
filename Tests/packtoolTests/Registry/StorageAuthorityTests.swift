import Foundation
import TestSupport
import Testing

/// A bucket behind TLS whose certificate a private authority has signed.
@Suite(.onFolder) struct StorageAuthorityTests {
    /// A tool, and the environment of a bucket at `https://localhost:PORT`: nginx before SeaweedFS. `company.pem` has signed its certificate.
    private static func secured() async throws -> (tool: Tool, nginx: RunningTool, environment: [String: String]) {
        let (tool, storage) = (try Tool(), try await SeaweedPrefix())
        let port = try LoopbackPort.free(1)[0]
        try await tool.shell(
            """
            curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
            openssl req -x509 $curve -keyout company.key -out company.pem -days 2 -subj /CN=company \
                -addext keyUsage=critical,keyCertSign
            openssl req $curve -keyout key.pem -out request.pem -subj /CN=server
            echo subjectAltName=DNS:localhost >names
            openssl x509 -req -in request.pem -CA company.pem -CAkey company.key -CAcreateserial -days 2 -extfile names -out cert.pem
            """
        ).expectSuccess()
        let folder = tool.folder.path
        try tool.write([
            "nginx.conf": """
            daemon off;
            pid \(folder)/nginx.pid;
            events { worker_connections 64; }
            http {
                access_log off;
                client_max_body_size 0;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/f;
                uwsgi_temp_path \(folder)/u;
                scgi_temp_path \(folder)/s;
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(folder)/cert.pem;
                    ssl_certificate_key \(folder)/key.pem;
                    location / {
                        proxy_pass \(storage.server.endpoint);
                        proxy_set_header Host $http_host;
                    }
                }
            }
            """
        ])
        let nginx = try tool.start(
            URL(filePath: "/usr/sbin/nginx"), ["-p", folder, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/nginx.log"])
        try await tool.shell(
            "for _ in $(seq 100); do curl -s --cacert company.pem -o ready https://localhost:\(port)/ && exit; sleep 0.1; done; exit 1"
        ).expectSuccess()
        let address = storage.address(endpoint: "https://localhost:\(port)")
        return (tool, nginx, storage.environment.merging(["PACKTOOL_STORAGE": address]) { $1 })
    }

    @Test func `a bucket's certificate is trusted by an option or a variable, and by nothing else`() async throws {
        let (tool, nginx, environment) = try await Self.secured()
        defer { nginx.kill(SIGKILL) }
        try tool.write(["dist/index.html": "<!doctype html><title>x</title>"])
        let refused = try await tool.run(["init", "--app", "shop"], environment: environment)
        expectClearError(refused, naming: ["https://localhost", "certificate"])
        let trusting = environment.merging(["PACKTOOL_CA": "company.pem"]) { $1 }
        try await tool.run(["init", "--app", "shop"], environment: trusting).expectSuccess()
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.0").expectSuccess()
        try await tool.run(
            ["publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--ca", "company.pem"], environment: environment
        ).expectSuccess()
        let server = try tool.start(["serve", "--port", "0", "--ca", "company.pem"], environment: environment)
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let url = String(try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)).output)
        let update = try await tool.run("client", "update", "--store", "device", "--channel", "beta", "--registry", url)
        #expect(update.standardOutput.contains("shop 1.0.0"), "\(update)")
        let without = try await tool.run(["serve", "--port", "0"], environment: environment)
        expectClearError(without, naming: ["certificate"])
    }
}
