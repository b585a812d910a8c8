import Foundation
import PackJSON
import Testing

/// What somebody meets who publishes for the first time.
struct FirstPublicationTests {
    private static func build(_ tool: Tool, _ package: String, _ version: String) async throws {
        try tool.write(["dist/index.html": "<!doctype html><title>\(package) \(version)</title>"])
        try await tool.run("build", "dist", "--package", package, "--package-version", version).expectSuccess()
    }

    @Test func `a new package with a CI token is told who lets it in, and is published when they did`() async throws {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        try await Self.build(tool, "shop", "1.0.0")
        let token = try await registry.token("--publish", "--release")
        let publish = ["publish", "packages/shop-1.0.0.zip", "--channel", "beta", "--registry", registry.url]
        let environment = ["PACKTOOL_TOKEN": token]
        let first = try await tool.run(publish, environment: environment)
        expectClearError(
            first,
            naming: [
                "the package shop is new", "needs the admin right, which this token does not have",
                "packtool keys delegate shop --registry FOLDER", "from then on this token is enough",
            ])
        // The same on a machine that has no owner's key.
        let job = try Tool()
        try await job.shell("mkdir .packtool && cp '\(tool.folder.path)/.packtool/root.json' .packtool/")
            .expectSuccess()
        try await job.shell("cp -r '\(tool.folder.path)/packages' .").expectSuccess()
        let key = try String(decoding: tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        let secrets = environment.merging(["PACKTOOL_KEY": key]) { $1 }
        let second = try await job.run(publish, environment: secrets)
        expectClearError(second, naming: ["the package shop is new", "packtool keys delegate shop --key KEY"])

        try await tool.run("keys", "delegate", "shop", "--registry", registry.folder).expectSuccess()
        try await job.run(publish, environment: secrets).expectSuccess()
    }

    @Test func `publishing to a folder says that devices can install it, and may be interrupted after that`()
        async throws
    {
        let tool = try Tool()
        try await tool.run("init", "--template", "config", "--quiet").expectSuccess()
        try await tool.shell("mkdir dist && seq 1 500000 > dist/data.txt").expectSuccess()
        try await Self.build(tool, "shop", "1.0.0")
        let running = try tool.start("publish", "packages/shop-1.0.0.zip", "--channel", "beta")
        let line = try #require(try await running.line(holding: "Devices can install this now"))
        #expect(line.contains("Making patches and smaller downloads; Ctrl-C is safe"), "\(line)")
        running.kill(SIGINT)
        _ = await running.outcome()
        try await tool.run("client", "update", "--store", "device", "--channel", "beta").expectSuccess()
        // What was left is made by who asks next.
        try await tool.run("verify", "shop@1.0.0").expectSuccess()
    }

    @Test func `the zip of a version is there for who asks right after it was published to a server`() async throws {
        let registry = try await LiveRegistry()
        try await registry.tool.shell("mkdir -p sites/1.0.0 && seq 1 500000 > sites/1.0.0/data.txt").expectSuccess()
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<!doctype html><title>Shop</title>"])
        let inspected = try await registry.tool.run("inspect", "shop@1.0.0", "--registry", registry.url)
        #expect(inspected.exitCode == 0 && inspected.standardOutput.contains("shop 1.0.0"), "\(inspected)")
        let unknown = try await registry.tool.run("inspect", "shop@2.0.0", "--registry", registry.url)
        expectClearError(unknown, naming: ["the registry has no shop@2.0.0 (there is: 1.0.0)"])
        // The zip of the second version is not made yet when these ask for it.
        for (version, words) in [
            ("1.1.0", ["verify", "shop@1.1.0"]), ("1.2.0", ["diff", "shop@1.1.0", "shop@1.2.0"]),
        ] {
            try await registry.publish(
                "shop", version, files: ["index.html": "<!doctype html><title>\(version)</title>"])
            let asked = try await registry.tool.run(words + ["--registry", registry.url])
            #expect(asked.exitCode == 0, "\(asked)")
        }
    }

    @Test func `an older registry is told a share, and a proxy's limit is named with the setting that lifts it`()
        async throws
    {
        let registry = try await LiveRegistry()
        let tool = registry.tool
        try await registry.publish("shop", "1.0.0", files: ["index.html": "<!doctype html><title>Shop</title>"])
        // An older server: it reads as this one, knows no previews, and refuses a change without a share.
        try tool.write([
            "older.py": """
            import http.server, json, sys, urllib.request
            class Older(http.server.BaseHTTPRequestHandler):
                def forward(self, body=None):
                    request = urllib.request.Request("\(registry.url)" + self.path, data=body, headers=dict(self.headers))
                    try: answer = urllib.request.urlopen(request)
                    except urllib.error.HTTPError as error: answer = error
                    self.reply(answer.status, answer.read(), answer.headers.get("Content-Type", ""))
                def reply(self, status, body, kind):
                    self.send_response(status); self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
                def refuse(self, status, kind, detail):
                    kind = "urn:packtool:problem:" + kind
                    problem = {"type": kind, "title": "", "status": status, "detail": detail}
                    self.reply(status, json.dumps(problem).encode(), "application/problem+json")
                def do_GET(self): self.forward()
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    if self.path == "/v1/uploads" and sys.argv[1:] == ["413"]:
                        return self.reply(413, b"<html><h1>413 Request Entity Too Large</h1></html>", "text/html")
                    if self.path.endswith("/preview"):
                        return self.refuse(404, "notFound", "there is nothing at this path")
                    if "/v1/channels/" in self.path and "percent" not in json.loads(body):
                        detail = 'the request body is not valid: the field "percent" is missing'
                        return self.refuse(400, "invalid", detail)
                    self.forward(body)
                def log_message(self, *arguments): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Older)
            print("port", server.server_port, flush=True)
            server.serve_forever()
            """
        ])
        let older = try tool.start(
            URL(filePath: "/usr/bin/python3"), [tool.folder.path + "/older.py"], environment: [:])
        defer { older.kill(SIGKILL) }
        // And a proxy with a limit of its own before it.
        let narrow = try tool.start(
            URL(filePath: "/usr/bin/python3"), [tool.folder.path + "/older.py", "413"], environment: [:])
        defer { narrow.kill(SIGKILL) }
        let narrowPort = try #require(try await narrow.line(holding: "port")?.split(separator: " ").last)
        try await Self.build(tool, "shop", "1.1.0")
        let size = try tool.read("packages/shop-1.1.0.zip").count
        let tooLarge = try await tool.run(
            "publish", "packages/shop-1.1.0.zip", "--channel", "stable", "--new-channel", "--registry",
            "http://127.0.0.1:\(narrowPort)",
            environment: ["PACKTOOL_TOKEN": try await registry.token("--publish", "--release")])
        expectClearError(
            tooLarge, naming: ["refused a body of \(size) bytes (413)", "\"client_max_body_size 2g;\""])
        let port = try #require(try await older.line(holding: "port")?.split(separator: " ").last)
        let publish = [
            "publish", "packages/shop-1.0.0.zip", "--channel", "stable", "--new-channel", "--registry",
            "http://127.0.0.1:\(port)",
        ]
        let environment = ["PACKTOOL_TOKEN": try await registry.token("--publish", "--release")]
        let refused = try await tool.run(publish, environment: environment)
        expectClearError(refused, naming: ["is of an older packtool", "--rollout PERCENT"])
        try await tool.run(publish + ["--rollout", "10"], environment: environment).expectSuccess()
    }
}
