import Foundation
import TestSupport
import Testing

/// The commands of docs/SCALING.md, one step after the other, with devices that follow.
@Suite(.onFolder) struct ScalingStepsTests {
    /// A line of a step as it stands in the document.
    private static func steps() throws -> [[String]] {
        let text = try String(contentsOf: Tool.project.appending(path: "docs/SCALING.md"), encoding: .utf8)
        let section = try #require(
            text.split(separator: "## Five steps").last?.split(separator: "### What a fleet needs").first)
        let blocks = section.matches(of: /(?s)```sh\n(.*?)```/).map { match in
            match.output.1.split(separator: "\n").map(String.init)
        }
        try #require(blocks.count == 5)
        return blocks
    }

    @Test func `each step is done by the commands that stand there, and devices follow`() async throws {
        let storage = try await ToolStorage()
        let postgres = try await PostgresServer.shared()
        let tool = try Tool(environment: storage.environment.filter { $0.key.hasPrefix("AWS_") })
        try tool.write(["dist/index.html": "<title>1.0.0</title>", "dist/app.js": "// 1.0.0"])
        let ports = try LoopbackPort.free(2)
        let servers = "postgres://packtool@db.example.com/"
        let names = [
            "\(servers)packtool?sslmode=verify-full": try postgres.url(database: postgres.newDatabase()),
            "\(servers)shop?sslmode=verify-full": try postgres.url(database: postgres.newDatabase()),
            "s3://packages/shop?region=eu-central-1": storage.address, "/srv/packtool": "srv",
            "/var/lib/packtool": "lib",
            "8787": "\(ports[0])", "8788": "\(ports[1])",
        ]
        for (number, lines) in try Self.steps().enumerated() {
            var running: [RunningTool] = []
            for line in lines {
                var line = names.reduce(line) { $0.replacing($1.key, with: $1.value) }
                line = line.replacing("\"", with: "")
                if let setting = line.wholeMatch(of: /export (\w+)=(.*)/) {
                    tool.environment[String(setting.output.1)] = String(setting.output.2)
                    continue
                }
                let words = line.split(separator: " ").map(String.init)
                try #require(words.first == "packtool", "\(line)")
                let command = Array(words.dropFirst())
                if command.first == "serve" {
                    let server = try tool.start(command)
                    _ = try #require(await server.line(holding: "http://127.0.0.1:"), "\(line): \(server.log)")
                    running.append(server)
                } else {
                    try await tool.output(of: command)
                }
            }
            // What a team does next: publish, and see it on devices by each server.
            if number < 4 {
                try #require(running.count == (number == 1 ? 2 : 1))
                let version = "1.\(number + 1).0"
                try tool.write(["dist/index.html": "<title>\(version)</title>", "dist/app.js": "// \(version)"])
                try await tool.output(of: ["build", "dist", "--package", "shop", "--package-version", version])
                try await tool.output(of: ["publish", "packages/shop-\(version).zip", "--channel", "stable"])
                for port in ports.prefix(running.count) {
                    try await tool.update("device", from: "http://127.0.0.1:\(port)", channel: "stable", to: version)
                }
            }
            for server in running {
                server.kill(SIGTERM)
                #expect(await server.outcome().exitCode == 0)
            }
        }
        #expect(FileManager.default.fileExists(atPath: tool.folder.appending(path: "packages-bucket.conf").path))
        #expect(try await tool.output(of: ["registry", "check"]).contains("all sound"))
    }

    @Test func `a region that is lost goes on in another one, with a database and a bucket that are behind`()
        async throws
    {
        let (here, there) = (try await ToolStorage(), try await ToolStorage())
        let (postgres, database, tool) = try await Tool.onPostgres()
        tool.environment.merge(here.environment) { $1 }
        try await tool.output(of: ["init", "--template", "config", "--app", "shop"])
        for version in ["1.0.0", "1.1.0"] {
            try tool.write(["dist/index.html": "<title>\(version)</title>", "dist/app.js": "// \(version)"])
            try await tool.output(of: ["build", "dist", "--package", "shop", "--package-version", version, "--quiet"])
            try await tool.output(of: ["publish", "packages/shop-\(version).zip", "--channel", "stable"])
        }
        let server = try tool.start("serve", "--port", "0")
        let url = try #require(
            await server.line(holding: "http://127.0.0.1:")?.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/))
        try await tool.update("device", from: String(url.output), channel: "stable", to: "1.1.0")
        server.kill(SIGKILL)

        // The bucket's replica has all but two files, an object and a document; the standby has everything.
        let standby = try postgres.newDatabase()
        try await tool.shell(
            "\(Self.postgresPrograms)/pg_dump -n packtool '\(postgres.url(database: database))' | "
                + "\(Self.postgresPrograms)/psql -q -v ON_ERROR_STOP=1 '\(postgres.url(database: standby))' > /dev/null"
        ).expectSuccess()
        let files = try await here.names(with: tool)
        let late = [
            try #require(files.first { $0.hasPrefix("objects/") }),
            try #require(files.first { $0.hasSuffix("channels.json") }),
        ]
        for name in files where !late.contains(name) { try await here.copy(name, to: there, with: tool) }

        tool.environment["PACKTOOL_REGISTRY"] = postgres.url(database: standby)
        tool.environment["PACKTOOL_FILES"] = "elsewhere"
        tool.environment.merge(there.environment) { $1 }
        try await tool.shell("install -D -m 600 files/keys/online.json elsewhere/keys/online.json").expectSuccess()
        let repaired = try await tool.output(of: ["registry", "check", "--repair"])
        #expect(repaired.contains("repaired  \(late[0])"), "\(repaired)")
        #expect(try await tool.output(of: ["registry", "check"]).contains("all sound"))
        let other = try tool.start("serve", "--port", "0")
        defer { other.kill(SIGKILL) }
        let next = try #require(
            await other.line(holding: "http://127.0.0.1:")?.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/))
        try await tool.update("fresh", from: String(next.output), channel: "stable", to: "1.1.0")
        try tool.write(["dist/index.html": "<title>1.2.0</title>", "dist/app.js": "// 1.2.0"])
        try await tool.output(of: ["build", "dist", "--package", "shop", "--package-version", "1.2.0", "--quiet"])
        try await tool.output(of: ["publish", "packages/shop-1.2.0.zip", "--channel", "stable"])
        for device in ["device", "fresh"] {
            try await tool.update(device, from: String(next.output), channel: "stable", to: "1.2.0")
        }
    }

    private static let postgresPrograms = "$(ls -d /usr/lib/postgresql/*/bin | tail -1)"
}
