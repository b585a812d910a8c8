import Foundation
import PackFormat
import PackWeb
import PackWebOnline
import TestSupport
import Testing

@testable import PackProxy

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The proxy as a foreign client sees it.
@Suite(.serialized)
struct LoopbackProxyTests {
    private static let big = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private static let files = [
        "index.html": Data("<!doctype html><title>shop</title>".utf8), "big.bin": big,
        "data.json": Data("{\"a\": 1}".utf8),
    ]

    @Test
    func `a package is answered by https from the device, with type, range, tag and HEAD`() async throws {
        let bench = try await ProxyBench.make(Self.files)
        #expect(try bench.text("https://shop.package/") == "<!doctype html><title>shop</title>")
        #expect(try bench.curl("https://shop.package/big.bin").output == Self.big)
        #expect(
            try bench.curl("-r", "1000000-1000099", "https://shop.package/big.bin").output
                == Self.big[1_000_000..<1_000_100])
        let head = try bench.text("-I", "https://shop.package/data.json").lowercased()
        #expect(head.contains("200 ok") && head.contains("content-length: 8\r\n"))
        #expect(head.contains("content-type: application/json"))
        #expect(try bench.text("-o", "/dev/null", "-w", "%{http_code}", "https://shop.package/none") == "404")
        #expect(
            try bench.text("-X", "POST", "-d", "x", "-o", "/dev/null", "-w", "%{http_code}", "https://shop.package/")
                == "405")
        // One connection for several.
        let codes = try bench.text(
            "-o", "/dev/null", "-w", "%{http_code} %{num_connects};", "https://shop.package/", "-o", "/dev/null",
            "https://shop.package/data.json")
        #expect(codes == "200 1;200 0;")
        try await bench.stop()
    }

    @Test
    func `the app answers before the package where it says so, but no page, and in the server's place`() async throws {
        var native = NativeAnswers { request in
            guard ["/data.json", "/stub"].contains(request.url?.path) else { return nil }
            return NativeAnswer(
                status: 203, headers: ["Content-Type": "text/plain"],
                body: Data(
                    "\(request.httpMethod ?? "") \(String(decoding: request.httpBody ?? Data(), as: UTF8.self))".utf8))
        }
        native.precedesPackage = { $0.url.contains("data.json") || $0.url.contains("big.bin") || $0.url.hasSuffix("/") }
        let bench = try await ProxyBench.make(Self.files, native: native)
        let json = "https://shop.package/data.json"
        #expect(try bench.text("-w", " %{http_code} %{content_type}", json) == "GET  203 text/plain")
        #expect(try bench.text("-X", "PUT", "-d", "a body", json) == "PUT a body")
        let head = try bench.text("-I", json).lowercased()
        #expect(head.contains("203") && head.contains("content-type: text/plain"))
        // Asked about, and left to the package.
        #expect(try bench.curl("https://shop.package/big.bin").output == Self.big)
        let page = try bench.text(
            "-i", "-H", "Accept: text/html", "-H", "Sec-Fetch-Dest: document", "https://shop.package/")
        #expect(
            page.contains("<title>shop</title>") && page.lowercased().contains(PageSession.documentField.lowercased()))
        // In a server's place too.
        let server = try EchoServer()
        bench.api = ["/api/": "http://\(server.place)/"]
        bench.loopbackServices = [server.place]
        #expect(try bench.text("https://shop.package/api/stub") == "GET ")
        #expect(try bench.text("https://shop.package/api/echo").contains("\"/echo\""))
        try await bench.stop()
    }

    @Test
    func `a proxy says whether its port still accepts connections`() async throws {
        let proxy = LoopbackProxy(pages: PageDirectory(NoPackages()), online: NetworkLoader())
        #expect(await proxy.isListening() == false)
        _ = try await proxy.start()
        #expect(await proxy.isListening())
        try await proxy.stop()
        #expect(await proxy.isListening() == false)
    }

    private struct NoPackages: SiteCatalog {
        var settings: WebSettings { WebSettings() }
        func content(of package: PackageID) -> (any SiteContent)? { nil }
    }

    @Test
    func `nobody uses the proxy without its credentials`() async throws {
        let bench = try await ProxyBench.make(Self.files)
        let server = try EchoServer()
        for credentials in ["packtool:wrong", "packtool:", "other:\(bench.access.password)"] {
            let tunnel = try bench.curl("https://shop.package/", credentials: credentials)
            #expect(tunnel.output.isEmpty && tunnel.exitCode != 0)
            let plain = try bench.curl(
                "-o", "/dev/null", "-w", "%{http_code}", "http://\(server.place)/echo", credentials: credentials)
            #expect(String(decoding: plain.output, as: UTF8.self) == "407")
        }
        // A page of another browser on this machine that finds the port gets nothing either.
        let direct = try bench.text(
            "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(bench.access.port)/")
        #expect(direct == "407")
        try await bench.stop()
    }

    /// A client that goes on with a connection after an answer, as libsoup does: what it reads, and whether the proxy closed.
    private static let persistent = """
        import base64, socket, ssl, sys
        port, password, certificate, what = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
        grant = "Proxy-Authorization: Basic " + base64.b64encode(f"packtool:{password}".encode()).decode() + "\\r\\n"
        def connect(to, fields=""):
            s = socket.create_connection(("127.0.0.1", port), 5)
            s.settimeout(5)
            s.sendall(f"CONNECT {to} HTTP/1.1\\r\\nHost: {to}\\r\\n{fields}\\r\\n".encode())
            return s
        def rest(s):
            text = b""
            while True:
                try: part = s.recv(65536)
                except TimeoutError: return text.decode(), "open"
                if not part: return text.decode(), "closed"
                text += part
        if what == "refused": print(*rest(connect("shop.package:443")), sep="\\n")
        if what == "own": print(*rest(connect(f"{sys.argv[5]}:{port}", grant)), sep="\\n")
        if what == "upgrade":
            s = connect("shop.package:443", grant)
            assert s.recv(65536).startswith(b"HTTP/1.1 200")
            s = ssl.create_default_context(cafile=certificate).wrap_socket(s, server_hostname="shop.package")
            s.sendall(b"GET /socket HTTP/1.1\\r\\nHost: shop.package\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n"
                b"Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n")
            print(*rest(s), sep="\\n")
        """

    @Test(arguments: [["refused"], ["own", "127.0.0.1"], ["own", "localhost"], ["upgrade"]])
    func `where no further request would be read, the connection is closed`(what: [String]) async throws {
        let bench = try await ProxyBench.make(Self.files)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments =
            [
                "-c", Self.persistent, "\(bench.access.port)", bench.access.password,
                bench.folder.appendingPathComponent("proxy.pem").path,
            ] + what
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let status = ["refused": "407", "own": "403", "upgrade": "404"][what[0]] ?? ""
        #expect(said.hasPrefix("HTTP/1.1 \(status) "), "\(said)")
        #expect(said.lowercased().contains("connection: close\r\n"))
        #expect(said.hasSuffix("\nclosed\n"))
        try await bench.stop()
    }

    @Test
    func `the certificate is the package's and vouches for nobody else`() async throws {
        let bench = try await ProxyBench.make(Self.files)
        let file = bench.folder.appendingPathComponent("proxy.pem").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = ["x509", "-in", file, "-noout", "-text"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.contains("DNS:*.package, DNS:shop.package"))
        #expect(text.contains("CA:FALSE") && text.contains("prime256v1"))
        // Another proxy has another key.
        let other = try await ProxyBench.make(Self.files)
        #expect(other.access.certificate != bench.access.certificate)
        #expect(other.access.password != bench.access.password)
        try await other.stop()
        try await bench.stop()
    }

    @Test
    func `other hosts are passed through untouched, by tunnel and in plain http`() async throws {
        let bench = try await ProxyBench.make(Self.files)
        let server = try EchoServer()
        let body = bench.folder.appendingPathComponent("body.bin")
        try Self.big.write(to: body)
        for way in [[], ["--proxytunnel"]] {
            let mirror = ["-H", "Content-Type: a/b", "http://\(server.place)/mirror"] + way
            #expect(try bench.curl(["--data-binary", "@\(body.path)"] + mirror).output == Self.big)
            let chunked = ["-T", body.path, "-H", "Transfer-Encoding: chunked"]
            #expect(try bench.curl(chunked + mirror).output == Self.big)
            let said = try JSONDecoder().decode(
                Said.self,
                from: try bench.curl(
                    ["-X", "PROPFIND", "-H", "X-Own: 1", "http://\(server.place)/a/../b%20c?q=1"] + way + [
                        "--path-as-is"
                    ]
                ).output)
            #expect(said.method == "PROPFIND")
            #expect(said.path == "/a/../b%20c?q=1")
            #expect(said.headers["x-own"] == "1")
            #expect(said.headers["host"] == server.place)
            #expect(said.headers["proxy-authorization"] == nil && said.headers["proxy-connection"] == nil)
        }
        try await bench.stop()
    }

    @Test
    func `an answer that breaks off is not taken for a whole one`() async throws {
        let bench = try await ProxyBench.make(Self.files)
        let unreachable = try bench.text("-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:1/")
        #expect(unreachable == "000", "an app waits for a network error, not for an answer of the proxy")
        #expect(try bench.curl("https://127.0.0.1:1/").exitCode != 0)
        // The file's end is missing on the disk after the manifest was made.
        let digest = try #require(bench.manifest.files.first { $0.key.text == "big.bin" }?.value.digest)
        let handle = try FileHandle(forWritingTo: bench.folder.appendingPathComponent(digest.hex))
        try handle.truncate(atOffset: 1000)
        let damaged = try bench.text("-o", "/dev/null", "-w", "%{http_code}", "https://shop.package/big.bin")
        #expect(damaged == "500")
        try await bench.stop()
    }

    @Test
    func `plain http to a package is sent to https, and no package leaves the device`() async throws {
        let bench = try await ProxyBench.make(Self.files)
        let moved = try bench.text("-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", "http://shop.package/a?b=1")
        #expect(moved == "308 https://shop.package/a?b=1")
        for host in ["nobody.package", "a.b.package"] {
            #expect(try bench.text("-k", "-o", "/dev/null", "-w", "%{http_code}", "https://\(host)/") == "404")
        }
        #expect(try bench.curl("https://shop.package:8443/").exitCode != 0)
        try await bench.stop()
    }

    @Test
    func `a package that is not installed is loaded from its web site, method and body kept`() async throws {
        let server = try EchoServer()
        var limits = ProxyLimits()
        limits.heldBodySize = 100_000
        let bench = try await ProxyBench.make(Self.files, limits: limits)
        bench.webSite = "http://\(server.place)/copy/"
        let said = try JSONDecoder().decode(
            Said.self,
            from: try bench.curl(["-X", "PUT", "-d", "ab", "-H", "Content-Type: a/b", "https://shop.package/x?y=1"])
                .output)
        #expect(said.method == "PUT" && said.path == "/copy/x?y=1" && said.body == "6162")
        #expect(said.headers["host"] == server.place)
        let body = bench.folder.appendingPathComponent("body.bin")
        let large = Data((0..<100_001).map { UInt8(truncatingIfNeeded: $0 * 31) })
        try large.write(to: body)
        for fields in [[], ["-H", "Transfer-Encoding: chunked"], ["--http2"]] {
            let mirrored = try bench.curl(
                fields + ["--data-binary", "@\(body.path)", "-H", "Content-Type: a/b", "https://shop.package/mirror"])
            #expect(mirrored.output == large)
        }
        bench.webSite = "http://\(server.place)/"
        let head = try bench.text("-D", "-", "-o", "/dev/null", "https://shop.package/cookies?set=a%3D1%7Cb%3D2")
        #expect(head.lowercased().contains("set-cookie: a=1\r\n") && head.lowercased().contains("set-cookie: b=2\r\n"))
        try await bench.stop()
    }

    @Test
    func `a page whose web site sends it to another origin is redirected; anything else gets the answer`()
        async throws
    {
        let (server, other) = (try EchoServer(), try EchoServer())
        let bench = try await ProxyBench.make(Self.files)
        bench.webSite = "http://\(server.place)/"
        let to = "http://\(other.place)/text?body=there"
        let address = "https://shop.package/redirect?status=307&to=" + to.replacing("?", with: "%3F")
        let page = try bench.text(
            "-H", "Accept: text/html", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", address)
        #expect(page == "307 \(to)")
        // Another service of this device is not for every web site to reach.
        #expect(try bench.text("-o", "/dev/null", "-w", "%{http_code}", address) == "307")
        bench.loopbackServices = [other.place]
        #expect(try bench.text(address) == "there")
        try await bench.stop()
    }

    @Test
    func `an address with what a browser leaves as it is finds its file, and reaches the web site escaped once`()
        async throws
    {
        var files = Self.files
        files["a|b c.js"] = Data("pipe".utf8)
        let bench = try await ProxyBench.make(files)
        #expect(try bench.text("https://shop.package/a|b%20c.js") == "pipe")
        let server = try EchoServer()
        bench.webSite = "http://\(server.place)/"
        let answer = try bench.curl("-g", "https://shop.package/x?x={%22a%22:1}&discount=10%")
        let said = try JSONDecoder().decode(Said.self, from: answer.output)
        #expect(said.path == "/x?x=%7B%22a%22:1%7D&discount=10%25")
        try await bench.stop()
    }

    @Test
    func `an empty body reaches the web site as one`() async throws {
        let server = try EchoServer()
        let bench = try await ProxyBench.make(Self.files)
        bench.webSite = "http://\(server.place)/"
        for method in ["POST", "PUT", "DELETE"] {
            let answer = try bench.curl(
                "-X", method, "-d", "", "-H", "Content-Type: text/plain", "https://shop.package/x")
            let said = try JSONDecoder().decode(Said.self, from: answer.output)
            #expect(said.method == method && said.body.isEmpty && said.headers["content-type"] == "text/plain")
        }
        try await bench.stop()
    }

    @Test
    func `HEAD says no length that GET would not have, and answers without a length arrive whole`() async throws {
        let server = try EchoServer()
        let bench = try await ProxyBench.make(Self.files)
        bench.webSite = "http://\(server.place)/"
        let known = try bench.text("--suppress-connect-headers", "-I", "https://shop.package/bytes?n=1234").lowercased()
        #expect(known.contains("content-length: 1234\r\n") && !known.contains("transfer-encoding"))
        let unknown = try bench.text(
            "--suppress-connect-headers", "-I", "-H", "Accept-Encoding: gzip", "https://shop.package/gzip"
        ).lowercased()
        #expect(unknown.contains("200 ok") && !unknown.contains("content-length") && !unknown.contains("content-enc"))
        // The connection is sound after each.
        let rounds = try bench.text(
            "-I", "-o", "/dev/null", "-w", "%{http_code} %{num_connects};", "https://shop.package/gzip", "-o",
            "/dev/null", "https://shop.package/status?code=204", "-o", "/dev/null", "https://shop.package/gzip")
        #expect(rounds == "200 1;204 0;200 0;")
        #expect(
            try bench.curl("https://shop.package/gzip").output == Data(repeating: UInt8(ascii: "g"), count: 100_000))
        let none = try bench.text("--suppress-connect-headers", "-D", "-", "https://shop.package/status?code=304")
            .lowercased()
        #expect(none.contains("304 ") && !none.contains("content-length") && !none.contains("transfer-encoding"))
        let asked = try bench.text(
            "-o", "/dev/null", "-o", "/dev/null", "-w", "%{http_code} %{num_connects};",
            "https://shop.package/status?code=304", "https://shop.package/gzip")
        #expect(asked == "304 1;200 0;")
        try await bench.stop()
    }

    @Test
    func `a 205 has no content, whatever the web site sends with it`() async throws {
        let server = try EchoServer()
        let bench = try await ProxyBench.make(Self.files)
        bench.webSite = "http://\(server.place)/"
        // With its head, as bytes: curl would read a content that is announced.
        let answers = try bench.text(
            "--suppress-connect-headers", "-i", "https://shop.package/status?code=205",
            "https://shop.package/status?code=404")
        let parts = answers.components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 3)
        #expect(parts[0].hasPrefix("HTTP/1.1 205 ") && parts[0].lowercased().contains("\r\ncontent-length: 0"))
        #expect(parts[1].hasPrefix("HTTP/1.1 404 ") && parts[2] == "status")
        try await bench.stop()
    }

    /// A client that reads slowly through a tunnel, and some that say that they have said all: each its own program. A tunnel
    /// is closed for its silence only where it is half closed.
    @Test(arguments: [
        ("slow", "12582912"), ("half", "12582912"), ("drip", "12"), ("silent", "1 and the server"),
    ])
    func `a tunnel carries all that was sent before a close, and each direction's close by itself`(
        mode: String, expected: String
    ) async throws {
        var limits = ProxyLimits()
        #expect(limits.halfClosedTimeout >= 240)
        // Shorter than what "drip" takes in all, and than the silence of "silent" while it is open both ways.
        if ["drip", "silent"].contains(mode) { limits.halfClosedTimeout = 4 }
        let bench = try await ProxyBench.make(Self.files, limits: limits)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        process.arguments = [
            "python3", tests.appendingPathComponent("WebScripts/tunnel_ends.py").path, mode, "\(bench.access.port)",
            bench.access.user, bench.access.password,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(said == expected + "\n")
        try await bench.stop()
    }

    @Test(arguments: [
        ("CONNECT", "shop.package:443", ProxyTarget.package(host: "shop.package")),
        ("CONNECT", "SHOP.PACKAGE:443", .package(host: "shop.package")),
        ("CONNECT", "evil.package.attacker.com:443", .tunnel(host: "evil.package.attacker.com", port: 443)),
        ("CONNECT", "a.b.package:443", .package(host: "a.b.package")),
        ("CONNECT", "package.:443", .package(host: "package.")),
        ("CONNECT", "[::1]:8080", .tunnel(host: "::1", port: 8080)),
        ("GET", "http://h.example/x?y#z", .forward(host: "h.example", port: 80, path: "/x?y")),
        ("GET", "http://h.example:81?y", .forward(host: "h.example", port: 81, path: "/?y")),
        ("GET", "http://shop.package/x", .insecurePackage(location: "https://shop.package/x")),
    ])
    func `a request's target is read as it stands`(method: String, uri: String, target: ProxyTarget) {
        #expect(ProxyTarget(method: method, uri: uri) == target)
    }

    @Test(arguments: [
        ("CONNECT", "shop.package"), ("CONNECT", "h:0"), ("CONNECT", "h:70000"), ("CONNECT", "u@h:443"),
        ("CONNECT", ""),
        ("GET", "/"), ("GET", "https://h/"), ("GET", "http://"), ("GET", "http://u:p@h/"), ("GET", "http://h:x/"),
        ("CONNECT", "shop.package:80"), ("GET", "http://shop.package:81/"), ("GET", "ftp://h/"),
    ])
    func `a target that is none is refused`(method: String, uri: String) {
        guard case .malformed = ProxyTarget(method: method, uri: uri) else {
            Issue.record("\(method) \(uri) was taken")
            return
        }
    }

    private struct Said: Decodable {
        let method: String
        let path: String
        let headers: [String: String]
        let body: String
    }
}
