import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackProxy

/// Services behind a package's own paths, and what carries them.
@Suite(.serialized)
struct ServiceTests {
    private static let files = [
        "index.html": Data("<!doctype html><title>shop</title>".utf8), "home.html": Data("home".utf8),
    ]

    @Test func `the engine's cookies reach a service, and the service's are said for the package's host`() async throws
    {
        let server = try EchoServer()
        let bench = try await ProxyBench.make(Self.files)
        bench.api = ["/api/": "http://\(server.place)/"]
        let set = "a%3D1%3B%20Domain%3D127.0.0.1%3B%20Path%3D/%3B%20SameSite%3DStrict%3B%20Secure%7Cb%3D2%3B%20HttpOnly"
        let said = try bench.text(
            "--suppress-connect-headers", "-i", "-b", "csrf=1; x=2", "https://shop.package/api/cookies?set=\(set)")
        #expect(said.hasSuffix("\r\n\r\ncsrf=1; x=2"))
        #expect(said.lowercased().contains("set-cookie: a=1; path=/; samesite=strict; secure\r\n"))
        #expect(said.contains("b=2; HttpOnly\r\n"))
        // The proxy has no jar of its own: without the engine's field there is no cookie.
        #expect(try bench.text("https://shop.package/api/cookies") == "")
        try await bench.stop()
    }

    @Test func `a redirect within the service is the engine's to follow, at the page's address`() async throws {
        let server = try EchoServer()
        let bench = try await ProxyBench.make(Self.files)
        bench.api = ["/redirect/": "http://\(server.place)/redirect/"]
        let answer = try bench.text(
            "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}",
            "https://shop.package/redirect/redirect?to=/home.html")
        #expect(answer == "302 https://shop.package/home.html")
        #expect(try bench.text("-L", "https://shop.package/redirect/redirect?to=/home.html") == "home")
        try await bench.stop()
    }

    @Test func `a service that cannot be reached is a network error, without a word of ours`() async throws {
        let bench = try await ProxyBench.make(Self.files)
        bench.api = ["/api/": "http://127.0.0.1:1/"]
        for version in ["--http1.1", "--http2"] {
            let answer = try bench.curl(version, "-o", "-", "-w", "%{http_code}", "https://shop.package/api/x")
            #expect(answer.exitCode != 0)
            #expect(String(decoding: answer.output, as: UTF8.self) == "000")
        }
        try await bench.stop()
    }

    @Test func `by HTTP/2 one connection carries many requests, long polls among them`() async throws {
        let server = try EchoServer()
        let bench = try await ProxyBench.make(Self.files)
        bench.api = ["/api/": "http://\(server.place)/"]
        let polls = (0..<12).flatMap { ["-o", "/dev/null", "https://shop.package/api/slow?n=1500&\($0)"] }
        let once = ContinuousClock.now
        #expect(
            try bench.text("--http2", "-o", "/dev/null", "-w", "%{http_code}", "https://shop.package/api/slow?n=1500")
                == "200")
        let single = ContinuousClock.now - once
        let start = ContinuousClock.now
        let codes = try bench.curl(
            ["--http2", "--parallel", "--parallel-max", "20", "-w", "%{http_version} %{http_code};"] + polls + [
                "-o", "/dev/null", "https://shop.package/home.html",
            ])
        let parts = String(decoding: codes.output, as: UTF8.self).split(separator: ";")
        #expect(parts.count == 13 && parts.allSatisfy { $0 == "2 200" }, "\(parts)")
        // By six at a time, as by HTTP/1.1, twelve would take twice as long as one.
        #expect((ContinuousClock.now - start) / single < 1.9)
        let body = bench.folder.appendingPathComponent("body.bin")
        try Data(repeating: 7, count: 9 << 20).write(to: body)
        let mirrored = try bench.curl(
            "--http2", "--data-binary", "@\(body.path)", "-H", "Content-Type: a/b", "https://shop.package/api/mirror")
        let isWhole = mirrored.output == Data(repeating: 7, count: 9 << 20)
        #expect(isWhole, "\(mirrored.output.count) bytes, curl's exit code \(mirrored.exitCode)")
        #expect(try bench.text("--http2", "-b", "a=1; b=2", "https://shop.package/api/cookies") == "a=1; b=2")
        let head = try bench.text("--http2", "--suppress-connect-headers", "-I", "https://shop.package/home.html")
        #expect(head.hasPrefix("HTTP/2 200") && head.contains("content-length: 4\r\n"))
        try await bench.stop()
    }

    /// The body is larger than what may be held for any request, 64 MiB, and the service takes its time. 200 MiB in the long sweep.
    @Test(arguments: ["--http1.1", "--http2"])
    func `a large body reaches its service as it comes, and no faster than the service takes it`(
        version: String
    ) async throws {
        let server = try EchoServer()
        let bench = try await ProxyBench.make(Self.files)
        bench.api = ["/api/": "http://\(server.place)/v1/"]
        let size = (ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 96 : 200) << 20
        let body = bench.folder.appendingPathComponent("body.bin")
        #expect(FileManager.default.createFile(atPath: body.path, contents: nil))
        let handle = try FileHandle(forWritingTo: body)
        try handle.truncate(atOffset: UInt64(size))
        try handle.seek(toOffset: UInt64(size - 3))
        try handle.write(contentsOf: Data("end".utf8))
        try handle.close()
        let before = try Self.peakBytes()
        // Nothing here is about time, and a busy machine needs more of it than others' thirty seconds.
        let said = try bench.text(
            version, "-m120", "-T", body.path, "-X", "POST", "-H", "Cookie: a=1", "-H", "Origin: https://shop.package",
            "https://shop.package/api/sink?slow=1")
        let grown = try Self.peakBytes() - before
        let parts = said.split(separator: " ").map(String.init)
        #expect(parts.first == "\(size)" && parts.dropFirst().first == "end", "\(said)")
        #expect(said.contains("a=1") && said.contains("http://\(server.place)"), "\(said)")
        #expect(grown < 60 << 20, "\(grown >> 20) MiB more")
        // What does not lead to a service is answered without being held.
        let refused = try bench.text(
            version, "-m120", "-T", body.path, "-X", "POST", "-o", "/dev/null", "-w", "%{http_code}",
            "https://shop.package/home.html")
        #expect(refused == "405")
        #expect(try Self.peakBytes() - before < 60 << 20)
        // The service's answers are the page's: where it leads on within itself, and that it ends before the body does.
        let moved = try bench.text(
            version, "-m120", "-T", body.path, "-X", "POST", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}",
            "https://shop.package/api/sink?to=/v1/done")
        #expect(moved == "302 https://shop.package/api/done")
        bench.api = ["/api/": "http://127.0.0.1:1/"]
        #expect(try bench.curl(version, "-T", body.path, "https://shop.package/api/x").exitCode != 0)
        try await bench.stop()
    }

    /// The largest resident size that this process has had.
    private static func peakBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) << 10
    }

    private struct Line: Decodable {
        var service: String?
        var head: String?
        var first: String?
        var isSame: Bool?
        var rest: String?
    }

    @Test func `a WebSocket is relayed to the service as from its own page; one that it refuses ends the connection`()
        async throws
    {
        let bench = try await ProxyBench.make(Self.files)
        let port = Int.random(in: 20_000..<30_000)
        bench.api = ["/api/": "http://127.0.0.1:\(port)/v1/"]
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        process.arguments = [
            "python3", tests.appendingPathComponent("WebScripts/socket_relay.py").path, "\(bench.access.port)",
            bench.access.password, bench.folder.appendingPathComponent("proxy.pem").path, "\(port)",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let lines = try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        try #require(lines.count == 4, "\(text)")
        let asked = try #require(lines[0].service)
        #expect(asked.hasPrefix("GET /v1/socket?room=1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"))
        for field in [
            "Origin: http://127.0.0.1:\(port)", "Cookie: csrf=1", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ] {
            #expect(asked.contains("\r\n\(field)\r\n"), "\(asked)")
        }
        #expect(!asked.contains("shop.package"))
        let head = try #require(lines[1].head)
        #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("\r\nSet-Cookie: s=1; Path=/api/\r\n"))
        #expect(lines[1].first == "hello" && lines[1].isSame == true)
        let refusal = try #require(lines[3].head)
        #expect(refusal.hasPrefix("HTTP/1.1 403 ") && refusal.lowercased().contains("connection: close\r\n"))
        #expect(lines[3].rest?.contains("secret") == false)
        try await bench.stop()
    }

    /// Says how many bytes it was sent, over TLS with the certificate that stands before it in the folder.
    private static let secureService = """
        import http.server, ssl, sys
        class Service(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                size = len(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", str(len(str(size))))
                self.end_headers()
                self.wfile.write(str(size).encode())
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    @Test func `a large body goes to a service whose certificate a private authority has signed, and to no other`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let make = try Process.run(
            URL(fileURLWithPath: "/usr/bin/openssl"),
            arguments: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                folder.path + "/key.pem", "-out", folder.path + "/cert.pem", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost",
            ])
        make.waitUntilExit()
        let service = Process()
        service.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        service.arguments = ["-c", Self.secureService, folder.path]
        let said = Pipe()
        service.standardOutput = said
        service.standardError = FileHandle.nullDevice
        try service.run()
        defer { service.terminate() }
        let port = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let body = folder.appendingPathComponent("body.bin")
        try Data(repeating: 7, count: 6 << 20).write(to: body)
        for authorities in ["", try String(contentsOf: folder.appendingPathComponent("cert.pem"), encoding: .utf8)] {
            let bench = try await ProxyBench.make(Self.files, authorities: authorities)
            bench.api = ["/api/": "https://localhost:\(port)/"]
            let answer = try bench.curl("--data-binary", "@\(body.path)", "https://shop.package/api/upload")
            if authorities.isEmpty {
                #expect(answer.exitCode != 0 && answer.output.isEmpty)
            } else {
                #expect(String(decoding: answer.output, as: UTF8.self) == "\(6 << 20)")
            }
            try await bench.stop()
        }
    }
}
