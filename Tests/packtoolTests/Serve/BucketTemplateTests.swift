import Foundation
import TestSupport
import Testing

/// The configurations of CDNs before a bucket, with a real S3-compatible store that everybody may read, and a real `packtool serve`.
@Suite(.onFolder) final class BucketTemplateTests {
    private let tool: Tool
    private let storage: SeaweedServer
    private let environment: [String: String]
    private let server: String
    private var running: [RunningTool] = []

    init() async throws {
        tool = try Tool()
        storage = try await SeaweedServer(isPublic: true)
        environment = storage.environment.merging(["PACKTOOL_STORAGE": storage.address(prefix: "shop")]) { $1 }
        let made = try await tool.run("init", "--app", "shop", environment: environment)
        try #require(made.exitCode == 0, "\(made)")
        let serving = try tool.start("serve", "--port", "0", environment: environment)
        running.append(serving)
        let line = try #require(await serving.line(holding: "http://127.0.0.1:"), "it did not start")
        server = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
    }

    deinit { for process in running { process.kill(SIGKILL) } }

    private func publish(_ version: String) async throws {
        let script = (0..<3_000).map { $0 % 97 == 0 ? "step(\($0), '\(version)');" : "step(\($0), 'as ever');" }
        try tool.write([
            "sites/\(version)/index.html": "<!doctype html><title>Shop \(version)</title>",
            "sites/\(version)/app.js": script.joined(separator: "\n"),
        ])
        for arguments in [
            ["build", "sites/\(version)", "--package", "shop", "--package-version", version, "--out", "packages"],
            ["publish", "packages/shop-\(version).zip", "--channel", "beta"],
        ] {
            let outcome = try await tool.run(arguments, environment: environment)
            try #require(outcome.exitCode == 0, "\(arguments): \(outcome)")
        }
    }

    /// Writes a template, and changes names of it.
    private func write(_ template: String, _ file: String, replacing changes: [(String, String)]) async throws {
        let written = try await tool.run("init", "--template", template)
        try #require(written.exitCode == 0, "\(written)")
        var text = String(decoding: try tool.read(file), as: UTF8.self)
        for (from, to) in changes {
            try #require(text.contains(from), "\(file) has no \(from)")
            text = text.replacingOccurrences(of: from, with: to)
        }
        try tool.write([file: text])
    }

    private func start(_ executable: String, _ arguments: [String], _ url: String) async throws {
        running.append(try tool.start(URL(filePath: executable), arguments))
        let ready = try await tool.shell(
            "for _ in $(seq 100); do curl -sf -o ready \(url)/metadata/timestamp.json && exit; sleep 0.1; done; exit 1")
        try #require(ready.exitCode == 0, "\(ready)")
    }

    private func status(_ url: String, _ options: String = "") async throws -> String {
        try await tool.shell("curl -s -o answer -w '%{http_code}' \(options) '\(url)'").standardOutput
    }

    /// What a device and a reader see through a CDN: files from the bucket, a patch that nobody made from the server, the pointer anew.
    private func expectWholeLife(through url: String) async throws {
        try await publish("1.0.0")
        let update = [
            "client", "update", "--store", "device", "--channel", "beta", "--root", ".packtool/root.json", "--registry",
            url,
        ]
        let first = try await tool.run(update)
        #expect(first.standardOutput.contains("1.0.0"), "\(first)")
        // 1.0.0 is none of the four before 1.5.0, so there is no patch from it until a device asks.
        for number in 1...5 { try await publish("1.\(number).0") }
        let second = try await tool.run(update + ["--json"])
        #expect(second.standardOutput.contains("1.5.0"), "\(second)")
        let started = try await tool.run("client", "start", "--store", "device", "--json").standardOutput
        #expect(started.contains("1.5.0"))

        let object = try #require(
            try await tool.shell("sqlite3 .packtool/registry/registry.sqlite 'SELECT digest FROM object LIMIT 1'")
                .standardOutput
                .split(separator: "\n").first.map(String.init))
        let path = "\(url)/objects/\(object.prefix(2))/\(object)"
        #expect(try await status(path) == "200")
        #expect(try await tool.shell("sha256sum answer").standardOutput.hasPrefix(object))
        #expect(try await status(path, "-H 'Range: bytes=0-3'") == "206")
        #expect(try await status("\(url)/objects/00/\(String(repeating: "0", count: 64))") == "404")
        #expect(try await status("\(url)/v1/overview") == "200")
        let tag = try await tool.shell(
            "curl -sI \(url)/metadata/timestamp.json | tr -d '\\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p'"
        ).standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try await status("\(url)/metadata/timestamp.json", "-H 'If-None-Match: \(tag)'") == "304")
    }

    @Test func `nginx takes files from the bucket, and from the server what the bucket does not have`() async throws {
        let port = try LoopbackPort.free(1)[0]
        let server = server.dropFirst("http://".count)
        try await write(
            "nginx-bucket", "packages-bucket.conf",
            replacing: [
                ("listen 443 ssl http2;", "listen 127.0.0.1:\(port);"),
                ("    ssl_certificate_key /etc/ssl/packages/privkey.pem;\n", ""),
                ("    ssl_certificate /etc/ssl/packages/fullchain.pem;\n", ""),
                ("server packages.example.com:443;", "server \(server);"),
                ("server s3.eu-central-1.amazonaws.com:443;", "server 127.0.0.1:\(storage.port);"),
                ("https://packtool_", "http://packtool_"), ("Host packages.example.com", "Host \(server)"),
                ("Host s3.eu-central-1.amazonaws.com", "Host 127.0.0.1:\(storage.port)"),
                ("/var/cache/nginx/packtool", "\(tool.folder.path)/cache"),
                ("/etc/ssl/certs/ca-certificates.crt", "\(tool.folder.path)/none.crt"),
                ("proxy_ssl_verify on", "proxy_ssl_verify off"),
                ("proxy_ssl_trusted_certificate", "# proxy_ssl_trusted_certificate"),
            ])
        let folder = tool.folder.path
        try tool.write([
            "nginx.main": """
            daemon off;
            pid \(folder)/nginx.pid;
            error_log \(folder)/nginx.log;
            events { worker_connections 256; }
            http {
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/f;
                uwsgi_temp_path \(folder)/u;
                scgi_temp_path \(folder)/s;
                access_log \(folder)/access.log;
                log_format cdn '$request_method $uri $status $sent_http_x_cache';
                access_log \(folder)/cdn.log cdn;
                include \(folder)/packages-bucket.conf;
            }
            """
        ])
        let url = "http://127.0.0.1:\(port)"
        try await start(
            "/usr/sbin/nginx", ["-p", folder, "-c", "\(folder)/nginx.main", "-e", "\(folder)/nginx.log"], url)
        try await expectWholeLife(through: url)
        let lines = String(decoding: try tool.read("cdn.log"), as: UTF8.self).split(separator: "\n")
        // The device's update from 1.0.0 was one file of the server; everything else came from the bucket.
        let fromServer = lines.filter { $0.hasSuffix(" 200 SERVER") }
        #expect(fromServer.count == 1 && fromServer[0].contains("/patches/"), "\(fromServer)")
        #expect(lines.contains { $0.contains("/objects/") && $0.hasSuffix(" 200 MISS") })
        #expect(lines.contains { $0.contains("/objects/") && $0.hasSuffix(" 206 HIT") })
        #expect(lines.contains { $0.hasSuffix(" 404 SERVER") })
        #expect(try await status("\(url)/v1/uploads", "-X POST") == "403")
    }

    @Test func `a worker takes files from the bucket, and from the server what the bucket does not have`() async throws
    {
        let port = try LoopbackPort.free(1)[0]
        try await write("cloudflare", "packages-cloudflare-worker.js", replacing: [])
        try tool.write([
            "run.mjs": """
            import { readFile } from "node:fs/promises";
            import { createServer } from "node:http";
            import { Readable } from "node:stream";
            const source = await readFile("packages-cloudflare-worker.js");
            const worker = (await import(`data:text/javascript;base64,${source.toString("base64")}`)).default;
            const env = { BUCKET: "\(storage.endpoint)/\(SeaweedServer.bucket)/shop", SERVER: "\(server)" };
            createServer(async (incoming, outgoing) => {
                const headers = Object.entries(incoming.headers).filter(([name]) => !["host", "connection"].includes(name));
                const hasBody = !["GET", "HEAD"].includes(incoming.method);
                const answer = await worker.fetch(new Request(`http://cdn.example${incoming.url}`, {
                    method: incoming.method, headers, body: hasBody ? Readable.toWeb(incoming) : undefined, duplex: "half",
                }), env);
                outgoing.writeHead(answer.status, [...answer.headers].filter(([name]) => name !== "connection"));
                if (answer.body) Readable.fromWeb(answer.body).pipe(outgoing); else outgoing.end();
            }).listen(\(port), "127.0.0.1");
            """
        ])
        let url = "http://127.0.0.1:\(port)"
        try await start("/usr/bin/env", ["node", "run.mjs"], url)
        try await expectWholeLife(through: url)
        // A report goes to the server.
        #expect(
            try await status("\(url)/v1/reports", "-X POST -H 'Content-Type: application/json' --data '{}'") == "400")
    }
}
