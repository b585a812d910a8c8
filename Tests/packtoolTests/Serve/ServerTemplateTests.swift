import Foundation
import TestSupport
import Testing

/// The server configurations of `packtool init`, in a real nginx before a real `packtool serve`.
@Suite(.onFolder) final class ServerTemplateTests {
    private let registry: LiveRegistry
    private var servers: [RunningTool] = []

    init() async throws {
        registry = try await LiveRegistry()
    }

    deinit { for server in servers { server.kill(SIGKILL) } }

    /// Writes a template, makes it this machine's, and starts nginx with it.
    /// - Returns: the port.
    private func start(_ template: String, _ file: String, replacing: [(String, String)]) async throws -> Int {
        let tool = registry.tool
        let written = try await tool.run("init", "--template", template)
        try #require(written.exitCode == 0, "\(written)")
        let port = try LoopbackPort.free(1)[0]
        let changes = replacing + [("listen 443 ssl http2;", "listen 127.0.0.1:\(port);")]
        var text = String(decoding: try tool.read(file), as: UTF8.self)
        for (from, to) in changes {
            try #require(text.contains(from), "\(file) has no \(from)")
            text = text.replacingOccurrences(of: from, with: to)
        }
        let folder = tool.folder.path
        let certificate = text.split(separator: "\n").filter { !$0.contains("ssl_certificate") }.joined(separator: "\n")
        try tool.write([
            "\(file).used": certificate,
            "\(file).main": """
            daemon off;
            pid \(folder)/\(file).pid;
            error_log \(folder)/\(file).log;
            events { worker_connections 256; }
            http {
                client_body_temp_path \(folder)/\(file).body;
                proxy_temp_path \(folder)/\(file).proxy;
                fastcgi_temp_path \(folder)/\(file).f;
                uwsgi_temp_path \(folder)/\(file).u;
                scgi_temp_path \(folder)/\(file).s;
                access_log off;
                include \(folder)/\(file).used;
            }
            """,
        ])
        let nginx = try tool.start(
            URL(filePath: "/usr/sbin/nginx"),
            ["-p", folder, "-c", "\(folder)/\(file).main", "-e", "\(folder)/\(file).log"])
        servers.append(nginx)
        let ready = try await tool.shell(
            "for _ in $(seq 100); do curl -s -o ready http://127.0.0.1:\(port)/metadata/timestamp.json && exit; sleep 0.1; done; exit 1"
        )
        try #require(
            ready.exitCode == 0,
            "\(ready) \(String(decoding: (try? tool.read("\(file).log")) ?? Data(), as: UTF8.self))")
        return port
    }

    private var server: String { String(registry.url.dropFirst("http://".count)) }

    @Test func `behind nginx, packages larger than its own limit are published and a device installs them`()
        async throws
    {
        let port = try await start(
            "nginx", "packages.conf", replacing: [("server 127.0.0.1:8787;", "server \(server);")])
        let tool = registry.tool
        // Three megabytes that do not compress: nginx alone would answer 413 at one.
        let noise = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<title>one</title>"])
        try tool.write(["next/index.html": "<title>two</title>", "next/large.txt": noise])
        let built = try await tool.run(
            "build", "next", "--package", "shop", "--package-version", "2.0.0", "--out", "packages")
        try #require(built.exitCode == 0, "\(built)")
        let published = try await tool.run(
            ["publish", "packages/shop-2.0.0.zip", "--channel", "beta", "--registry", "http://127.0.0.1:\(port)"],
            environment: registry.publisherEnvironment())
        #expect(published.exitCode == 0, "\(published)")
        let updated = try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--root", ".packtool/root.json", "--registry",
            "http://127.0.0.1:\(port)")
        #expect(updated.exitCode == 0, "\(updated)")
        let started = try await tool.run("client", "start", "--store", "device")
        #expect(started.standardOutput.contains("shop 2.0.0"), "\(started)")
        #expect(try tool.read("device/unzipFiles/shop/2.0.0/large.txt") == Data(noise.utf8))
    }

    @Test func `as a CDN, nginx keeps what never changes, asks about the pointer each time, and lets nobody write`()
        async throws
    {
        let port = try await start(
            "nginx-cdn", "packages-cdn.conf",
            replacing: [
                ("server packages.example.com:443;", "server \(server);"),
                ("https://packtool_origin", "http://packtool_origin"),
                ("/var/cache/nginx/packtool", "\(registry.tool.folder.path)/cache"),
                ("/etc/ssl/certs/ca-certificates.crt", "\(registry.tool.folder.path)/none.crt"),
                ("Host packages.example.com", "Host \(server)"), ("proxy_ssl_verify on", "proxy_ssl_verify off"),
                ("proxy_ssl_trusted_certificate", "# proxy_ssl_trusted_certificate"),
            ])
        let tool = registry.tool
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<title>one</title>"])
        let base = "http://127.0.0.1:\(port)"
        let update = ["client", "update", "--channel", "beta", "--root", ".packtool/root.json", "--registry", base]
        for store in ["first", "second"] {
            let updated = try await tool.run(update + ["--store", store])
            #expect(updated.exitCode == 0, "\(updated)")
        }
        let object = try #require(try tool.listing(".packtool/registry/view/objects").keys.first)
        let said = try await tool.shell(
            """
            ask() { curl -s -o body -D - "$@" | tr -d '\\r' | grep -iE '^(HTTP|x-cache)' | tr '\\n' ' '; echo; }
            ask \(base)/objects/\(object); ask \(base)/objects/\(object)
            ask -H 'Range: bytes=0-3' \(base)/objects/\(object)
            ask \(base)/objects/00/\(String(repeating: "0", count: 64)); ask \(base)/objects/00/\(String(repeating: "0", count: 64))
            tag=$(curl -sI \(base)/metadata/timestamp.json | tr -d '\\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
            ask -H "If-None-Match: $tag" \(base)/metadata/timestamp.json
            ask -X POST \(base)/v1/uploads
            """)
        let lines = said.standardOutput.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            lines == [
                "HTTP/1.1 200 OK X-Cache: MISS", "HTTP/1.1 200 OK X-Cache: HIT",
                "HTTP/1.1 206 Partial Content X-Cache: HIT",
                "HTTP/1.1 404 Not Found", "HTTP/1.1 404 Not Found", "HTTP/1.1 304 Not Modified",
                "HTTP/1.1 403 Forbidden",
            ])
        // What is published next is there at once: nothing of the pointer was kept.
        try await registry.publish("shop", "1.1.0", files: ["index.html": "<title>two</title>"])
        let updated = try await tool.run(update + ["--store", "first"])
        #expect(updated.standardOutput.contains("1.1.0"), "\(updated)")
    }

    @Test func `the systemd unit's command line is one that packtool takes`() async throws {
        let tool = registry.tool
        let written = try await tool.run("init", "--template", "systemd")
        try #require(written.exitCode == 0, "\(written)")
        let unit = String(decoding: try tool.read("packtool.service"), as: UTF8.self)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
        var words = line.dropFirst("ExecStart=".count).split(separator: " ").map(String.init)
        #expect(words.removeFirst() == "/usr/local/bin/packtool")
        let arguments = words.map {
            $0 == "/var/lib/packtool/registry" ? "own/.packtool/registry" : $0 == "8787" ? "0" : $0
        }
        let made = try await tool.run("init", "own", "--template", "config")
        try #require(made.exitCode == 0, "\(made)")
        let server = try tool.start(arguments)
        defer { server.kill(SIGKILL) }
        let said = try await server.line(holding: "http")
        #expect(said != nil, "the unit's command does not start")
    }
}
