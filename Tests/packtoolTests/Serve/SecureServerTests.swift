import Foundation
import Testing

/// `packtool serve` with a certificate, asked by curl.
struct SecureServerTests {
    private static func secured(
        _ options: String...
    ) async throws -> (tool: Tool, server: RunningTool, url: String) {
        let tool = try Tool()
        let made = try await tool.run("init", "--template", "config")
        try #require(made.exitCode == 0, "\(made)")
        let certificate = try await tool.shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem \
                -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
            """)
        try #require(certificate.exitCode == 0, "\(certificate)")
        let server = try tool.start(
            ["serve", "--port", "0", "--tls-certificate", "cert.pem", "--tls-key", "key.pem"] + options)
        let line = try #require(await server.line(holding: "https://127.0.0.1:"), "it did not start")
        let port = try #require(line.split(separator: ":").last)
        return (tool, server, "https://localhost:\(port)")
    }

    @Test func `HTTP/2 and HTTP/1.1 over TLS read the view, with conditions and ranges`() async throws {
        let (tool, server, url) = try await Self.secured()
        defer { server.kill(SIGKILL) }
        for (flag, version) in [("--http2", "2"), ("--http1.1", "1.1")] {
            let ask = "curl -sS --cacert cert.pem \(flag) -o body -w '%{http_version} %{http_code} %{size_download}'"
            let whole = try await tool.shell("\(ask) \(url)/metadata/timestamp.json")
            let size = try tool.read(".packtool/registry/view/metadata/timestamp.json").count
            #expect(whole.standardOutput == "\(version) 200 \(size)", "\(whole)")
            #expect(
                try tool.read("body") == tool.read(".packtool/registry/view/metadata/timestamp.json"))
            let part = try await tool.shell("\(ask) -H 'Range: bytes=0-9' \(url)/metadata/timestamp.json")
            #expect(part.standardOutput == "\(version) 206 10", "\(part)")
            let idle = try await tool.shell("\(ask) -H 'If-None-Match: *' \(url)/metadata/timestamp.json")
            #expect(idle.standardOutput == "\(version) 304 0", "\(idle)")
            let refused = try await tool.shell("\(ask) --data-binary @key.pem \(url)/v1/uploads")
            #expect(refused.standardOutput.hasPrefix("\(version) 401 "), "\(refused)")
        }
    }

    @Test func `the offline manifest hands out addresses that this server answers, of https`() async throws {
        let (tool, server, url) = try await Self.secured("--adapter", "offline")
        defer { server.kill(SIGKILL) }
        try tool.write(["dist/index.html": "<!doctype html><title>x</title>"])
        try await tool.run("build", "dist", "--package", "shop", "--package-version", "1.0.0").expectSuccess()
        try await tool.run("publish", "packages/shop-1.0.0.zip", "--channel", "stable").expectSuccess()
        let manifest = try await tool.shell("curl -sS --cacert cert.pem '\(url)/offline/manifest.json'").expectSuccess()
        let address = "\(url)/site/shop/1.0.0/index.html"
        #expect(manifest.standardOutput.contains("\"url\":\"\(address)\""), "\(manifest)")
        let page = try await tool.shell("curl -sS --cacert cert.pem '\(address)'").expectSuccess()
        #expect(page.standardOutput.contains("<title>x</title>"), "\(page)")
    }

    @Test func `a file too large for memory comes over the same connection as the small ones around it`() async throws {
        let (tool, server, url) = try await Self.secured()
        defer { server.kill(SIGKILL) }
        let large = ".packtool/registry/view/packages/large-1.0.0.zip"
        let made = try await tool.shell(
            "mkdir -p .packtool/registry/view/packages && head -c 20000000 /dev/urandom >\(large)")
        #expect(made.exitCode == 0, "\(made)")
        let small = "\(url)/metadata/timestamp.json"
        let outcome = try await tool.shell(
            """
            curl -sS --cacert cert.pem --http1.1 -w '%{http_code} %{size_download} %{num_connects},' \
                -o one \(small) -o large \(url)/packages/large-1.0.0.zip -o two \(small)
            """)
        let size = try tool.read(".packtool/registry/view/metadata/timestamp.json").count
        #expect(outcome.standardOutput == "200 \(size) 1,200 20000000 0,200 \(size) 0,", "\(outcome)")
        #expect(try await tool.shell("cmp large \(large)").exitCode == 0)
        #expect(try tool.read("one") == tool.read("two"))
    }

    @Test func `clients that read nothing of a large file hold little of it in memory`() async throws {
        let (tool, server, url) = try await Self.secured()
        defer { server.kill(SIGKILL) }
        let large = ".packtool/registry/view/packages/large-1.0.0.zip"
        try await tool.shell(
            "mkdir -p .packtool/registry/view/packages && head -c 20000000 /dev/urandom >\(large)"
        ).expectSuccess()
        let port = try #require(url.split(separator: ":").last)
        let clients = try tool.startScript("slow_readers.py", "\(port)", "cert.pem", "/packages/large-1.0.0.zip", "200")
        defer { clients.kill(SIGKILL) }
        try #require(await clients.line(holding: "asked") != nil)
        // Whatever goes on filling buffers has done so by then.
        try await Task.sleep(for: .seconds(2))
        #expect(try server.residentByteCount() < 160_000_000)
        // Others are answered as ever.
        let other = try await tool.shell(
            "curl -sS --cacert cert.pem --max-time 10 -o small -w '%{http_code}' \(url)/metadata/timestamp.json")
        #expect(other.standardOutput == "200", "\(other)")
    }

    @Test func `many streams at once get each their own file`() async throws {
        let (tool, server, url) = try await Self.secured()
        defer { server.kill(SIGKILL) }
        let names = try tool.listing(".packtool/registry/view").keys.filter { $0.hasPrefix("metadata/") }.sorted()
        let transfers = (0..<50).map { index in "-o out/\(index) \(url)/\(names[index % names.count])" }
        let outcome = try await tool.shell(
            "mkdir out; curl -sS --cacert cert.pem --http2 --parallel \(transfers.joined(separator: " "))")
        #expect(outcome.exitCode == 0, "\(outcome)")
        for index in 0..<50 {
            #expect(
                try tool.read("out/\(index)") == tool.read(".packtool/registry/view/\(names[index % names.count])"))
        }
    }

    @Test(arguments: [
        ["--tls-certificate", "cert.pem"], ["--tls-key", "key.pem"],
        ["--tls-certificate", "absent.pem", "--tls-key", "key.pem"],
        ["--tls-certificate", "key.pem", "--tls-key", "key.pem"],
        ["--tls-certificate", "cert.pem", "--tls-key", "other.pem"],
    ])
    func `a certificate and a key that do not fit are named`(arguments: [String]) async throws {
        let tool = try Tool()
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        let made = try await tool.shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem \
                -days 2 -subj /CN=localhost 2>/dev/null
            openssl ecparam -name prime256v1 -genkey -noout -out other.pem
            """)
        #expect(made.exitCode == 0, "\(made)")
        let outcome = try await tool.run(["serve", "--port", "0"] + arguments)
        #expect(outcome.exitCode == 1 || outcome.exitCode == 64, "\(outcome)")
        #expect(outcome.standardError.contains(".pem") || outcome.standardError.contains("--tls-"), "\(outcome)")
        #expect(outcome.standardOutput.isEmpty)
    }
}
