import Foundation
import Testing

/// What a server's log says about who asks.
struct UserAgentTests {
    private static let server = """
        import http.server, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                print("agent", self.headers.get("User-Agent"), flush=True)
                self.send_response(404); self.send_header("Content-Length", "0"); self.end_headers()
            do_POST = do_GET
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("port", server.server_port, flush=True)
        server.serve_forever()
        """

    @Test func `requests name the program and its version`() async throws {
        let tool = try Tool()
        #expect(try await tool.run("init", "--template", "config").exitCode == 0)
        let server = try tool.start(URL(filePath: "/usr/bin/python3"), ["-c", Self.server])
        let port = try #require(await server.line(holding: "port ")?.split(separator: " ").last)
        let version = try #require(await tool.run("--version").standardOutput.split(separator: " ").first)
        let registry = "http://127.0.0.1:\(port)"
        _ = try await tool.run("status", "--registry", registry)
        #expect(server.lines.contains("agent packtool/\(version)"), "\(server.lines)")
        _ = try await tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--root", ".packtool/root.json", "--registry",
            registry)
        #expect(server.lines.contains("agent PackUpdater/\(version)"), "\(server.lines)")
        #expect(!server.lines.contains { $0.contains("unknown version") })
        server.kill(SIGKILL)
    }
}
