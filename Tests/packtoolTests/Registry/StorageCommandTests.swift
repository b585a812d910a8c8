import Foundation
import PackJSON
import TestSupport
import Testing

/// Commands, servers and devices of a registry whose files are in S3-compatible storage.
@Suite(.onFolder) struct StorageCommandTests {
    private let storage: ToolStorage
    private let server: PostgresServer
    private let tool: Tool

    init() async throws {
        storage = try await ToolStorage()
        (server, _, tool) = try await Tool.onPostgres()
        tool.environment.merge(storage.environment) { $1 }
    }

    @discardableResult
    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> String {
        try await tool.output(of: arguments, environment: environment)
    }

    private func publish(_ version: String, _ environment: [String: String] = [:]) async throws {
        try await build(version)
        try await run("publish", "packages/shop-\(version).zip", "--channel", "beta", environment: environment)
    }

    private func build(_ version: String) async throws {
        try tool.write([
            "dist/index.html": "<title>\(version)</title>", "dist/app.js": "// \(version)",
            "dist/large.txt": String(repeating: "The same in each version.\n", count: 20_000),
        ])
        try await run("build", "dist", "--package", "shop", "--package-version", version, "--quiet")
    }

    /// A running server, and its URL.
    private func serve(
        _ environment: [String: String] = [:], _ flags: [String] = []
    ) async throws -> (running: RunningTool, url: String) {
        try await tool.startServer(environment, flags)
    }

    private func names(below folder: String) throws -> [String] { try tool.listing(folder).keys.sorted() }

    private func machine(_ folder: String) throws -> [String: String] { try tool.serverMachine(folder) }

    @Test func `a server without the online key does not start, and says where it is to come from`() async throws {
        try await run("init", "--template", "config", "--app", "shop")
        let outcome = try await tool.run("serve", "--port", "0", environment: ["PACKTOOL_FILES": "second"])
        expectClearError(outcome, naming: ["second/keys/online.json", "another machine", "0600"])
        // Nor with another registry's.
        let other = try Tool()
        try await other.output(of: ["init", "--template", "config", "--app", "shop"], environment: [:])
        let key = try other.read(".packtool/registry/keys/online.json")
        let wrong = try await tool.run(
            "serve", "--port", "0", environment: tool.serverMachine("second", onlineKey: key))
        expectClearError(wrong, naming: ["second/keys/online.json", "root 1", "another registry's"])
        let (server, _) = try await serve(machine("second"))
        server.kill(SIGKILL)
    }

    @Test func `a server that redirects reads sends devices to the bucket for what is large, and no bytes of it`()
        async throws
    {
        try await run("init", "--template", "config", "--app", "shop")
        try await publish("1.0.0")
        let (server, url) = try await serve([:], ["--redirect-reads"])
        defer { server.kill(SIGKILL) }
        try await tool.update("one", from: url, channel: "beta", to: "1.0.0")
        try await publish("1.1.0")
        try await tool.update("one", from: url, channel: "beta", to: "1.1.0")
        // What is first is answered here, by the fast reader and after it.
        for path in ["metadata/timestamp.json", "health/live"] {
            let answer = try await tool.shell("curl -sS -o /dev/null -w '%{http_code}' \(url)/\(path)")
            #expect(answer.standardOutput == "200", "\(answer)")
        }
        let object = try #require(try names(below: "files/view").first { $0.hasPrefix("objects/") })
        let answer = try await tool.shell(
            "curl -sS -o body -w '%{http_code} %{size_download} %{redirect_url}' \(url)/\(object)")
        #expect(answer.standardOutput.hasPrefix("307 0 http"), "\(answer)")
        #expect(answer.standardOutput.contains("X-Amz-Signature="), "\(answer)")
        let part = try await tool.shell("curl -sS -L -H 'Range: bytes=0-3' -w '%{http_code}' -o part \(url)/\(object)")
        #expect(part.standardOutput == "206", "\(part)")
        let head = try await tool.shell("curl -sS -I -L -o /dev/null -w '%{http_code}' \(url)/\(object)")
        #expect(head.standardOutput == "200", "\(head)")
        try await tool.shell("curl -sS -L -o whole \(url)/\(object)").expectSuccess()
        #expect(try tool.read("whole") == tool.read("files/view/\(object)"))
        #expect(try tool.read("part") == tool.read("whole").prefix(4))
        let never = object.dropLast(4) + "0000"
        let absent = try await tool.shell("curl -sS -o /dev/null -w '%{http_code}' \(url)/\(never)")
        #expect(absent.standardOutput == "404", "\(absent)")
        // The log of the server has each request: none of these files was sent by it.
        server.kill(SIGTERM)
        let log = await server.outcome().standardError.split(separator: "\n")
        let large = log.filter {
            $0.contains("path=/patches/") && $0.contains(".zst ") && !$0.contains(".manifest.zst ")
        }
        #expect(!large.isEmpty)
        #expect(large.allSatisfy { $0.contains("status=307") || $0.contains("status=404") }, "\(large)")
    }

    @Test func `without a bucket there is nothing to redirect to`() async throws {
        let other = try Tool()
        try await other.run("init", "--template", "config").expectSuccess()
        let outcome = try await other.run("serve", "--port", "0", "--redirect-reads")
        #expect(outcome.exitCode == 1)
        #expect(outcome.standardError.contains("needs a registry whose files are in a bucket"), "\(outcome)")
    }

    @Test func `a registry on PostgreSQL and S3 goes from init to a rollback, over servers that come and go`()
        async throws
    {
        try await run("init", "--template", "config", "--app", "shop")
        let mark = try #require(try await storage.read("registry.id", with: tool))
        #expect(try String(decoding: tool.read("files/registry.id"), as: UTF8.self) == mark)
        try await publish("1.0.0")
        #expect(try await storage.read("metadata/1.root.json", with: tool) != nil)

        // Two machines. One has copies of what it published, the other has the key only.
        let (first, firstURL) = try await serve()
        let other = try machine("other")
        var (second, secondURL) = try await serve(other)
        try await tool.update("device", from: secondURL, channel: "beta", to: "1.0.0")
        #expect(try names(below: "other/view").contains("metadata/timestamp.json"))

        // What one takes, the other shows.
        let token = try await tool.run("token", "create", "ci", "--publish", "--release", "--json").json().object()
            .string("token")
        let key = try String(decoding: tool.read(".packtool/keys/publisher.pem"), as: UTF8.self)
        do {
            try await publish("1.1.0", ["PACKTOOL_REGISTRY": firstURL, "PACKTOOL_TOKEN": token, "PACKTOOL_KEY": key])
        } catch {
            Issue.record("the server's log:\n\(first.log)")
            throw error
        }
        try await tool.update("device", from: secondURL, channel: "beta", to: "1.1.0")

        // A machine that is lost takes nothing with it.
        second.kill(SIGKILL)
        _ = await second.outcome()
        try FileManager.default.removeItem(at: tool.folder.appending(path: "other"))
        (second, secondURL) = try await serve(try machine("third"))
        try await tool.update("new", from: secondURL, channel: "beta", to: "1.1.0")

        try await run("rollback", "shop", "--to", "1.0.0", "--channel", "beta", "--yes")
        try await tool.update("late", from: secondURL, channel: "beta", to: "1.0.0")
        let offered = try await run("status", "--channel", "beta")
        #expect(offered.contains("1.0.0"), "\(offered)")
        for running in [first, second] {
            running.kill(SIGTERM)
            #expect(await running.outcome().exitCode == 0)
        }
        // Without any copy, all that is signed is there.
        try FileManager.default.removeItem(at: tool.folder.appending(path: "files/view"))
        let check = try await run("registry", "check")
        #expect(check.contains("all sound"), "\(check)")
    }

    @Test func `what servers make is in the bucket, and a lost object is taken from a zip there`() async throws {
        try await run("init", "--template", "config", "--app", "shop")
        try await publish("1.0.0")
        try await publish("1.1.0")
        // Commands made what no server was there to make.
        let zip = try await storage.read("packages/shop-1.1.0.zip", with: tool)
        #expect(zip?.isEmpty == false)
        #expect(try names(below: "files/view").contains("packages/shop-1.1.0.zip"))
        try FileManager.default.removeItem(at: tool.folder.appending(path: "files/view"))
        let (running, url) = try await serve()
        let code = try await tool.shell("curl -s -o zip -w '%{http_code}' \(url)/packages/shop-1.0.0.zip")
        #expect(code.standardOutput == "200")
        let listed = try await tool.shell("unzip -l zip")
        #expect(listed.exitCode == 0 && listed.standardOutput.contains("large.txt"), "\(listed)")
        let none = try await tool.shell("curl -s -o none -w '%{http_code}' \(url)/packages/shop-9.9.9.zip")
        #expect(none.standardOutput == "404")
        running.kill(SIGTERM)
        _ = await running.outcome()

        let object = try await newestObject()
        try await storage.remove(object, with: tool)
        let found = try await tool.run("registry", "check")
        #expect(found.exitCode == 1 && found.standardOutput.contains("missing  \(object)"), "\(found)")
        let repaired = try await run("registry", "check", "--repair")
        #expect(repaired.contains("repaired  \(object)"), "\(repaired)")
        #expect(try await run("registry", "check").contains("all sound"))
    }

    @Test func `a publication writes twelve files and one a new object at most, lists nothing and asks little`()
        async throws
    {
        let proxy = try await FaultProxy(before: storage.server.endpoint)
        tool.environment["PACKTOOL_STORAGE"] = storage.address(through: proxy)
        try await run("init", "--template", "config", "--app", "shop")
        try await publish("1.0.0")
        @discardableResult
        func requests(_ version: String) async throws -> [String] {
            try await build(version)
            return try await asked(
                by: ["publish", "packages/shop-\(version).zip", "--channel", "beta"], through: proxy)
        }
        let seen = try await requests("1.1.0")
        let written = seen.count { $0.hasPrefix("PUT ") }
        // The page and the script are new.
        #expect(written <= 12 + 2 && seen.count { $0.hasPrefix("PUT objects/") } == 2, "\(seen)")
        // The version and its offer are shown at once.
        #expect(seen.count { $0 == "PUT metadata/timestamp.json" } == 1, "\(seen)")
        #expect(!seen.contains { $0.hasPrefix("GET /") }, "\(seen)")
        // Nothing is read twice that cannot have changed: the mark, the next root, the download; the
        // timestamp once for the registry and once for the publisher, who trusts nobody's memory.
        #expect(seen.count { $0.hasSuffix(".root.json") && $0.hasPrefix("GET ") } == 1, "\(seen)")
        #expect(seen.count { !$0.hasPrefix("PUT ") && !$0.hasPrefix("DELETE ") } <= 5, "\(seen)")

        // Once an hour it is looked whether the files are there that every device reads.
        let snapshots = seen.compactMap { $0.wholeMatch(of: /PUT metadata\/(\d+)\.snapshot\.json/) }
        let number = try #require(snapshots.compactMap { Int($0.1) }.max())
        let snapshot = "metadata/\(number).snapshot.json"
        try await storage.remove(snapshot, with: tool)
        try await requests("1.2.0")
        #expect(try await storage.read(snapshot, with: tool) == nil)
        try await tool.shell("touch -d '2 hours ago' files/storage.looked").expectSuccess()
        let newest = "metadata/\(number + 2).snapshot.json"
        try await storage.remove(newest, with: tool)
        try await requests("1.3.0")
        #expect(try await storage.read(newest, with: tool) != nil)
    }

    /// Method and name of each request of a command to the storage.
    private func asked(by command: [String], through proxy: FaultProxy) async throws -> [String] {
        proxy.plan { _, _ in .none }
        try await tool.output(of: command + ["--no-wait"])
        return proxy.seen.map { $0.replacing("/\(SeaweedServer.bucket)/\(storage.prefix)/", with: "") }
    }

    /// The object of a file that only the newest version has, by its digest.
    private func newestObject() async throws -> String {
        let digest = try await tool.shell("sha256sum dist/app.js | cut -c1-64")
        let hex = digest.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        return "objects/\(hex.prefix(2))/\(hex)"
    }

    @Test func `rows in SQLite and files in a bucket are a registry of one server`() async throws {
        tool.environment["PACKTOOL_REGISTRY"] = nil
        tool.environment["PACKTOOL_FILES"] = nil
        try await run("init", "--template", "config", "--app", "shop")
        try await publish("1.0.0")
        #expect(try await storage.read("metadata/1.root.json", with: tool) != nil)
        let (running, url) = try await serve()
        try await tool.update("device", from: url, channel: "beta", to: "1.0.0")
        running.kill(SIGTERM)
        #expect(await running.outcome().exitCode == 0)
        let without = try await tool.run("status", environment: ["PACKTOOL_STORAGE": "s3://other-bucket/x"])
        #expect(without.exitCode == 1, "\(without)")
        tool.environment["PACKTOOL_STORAGE"] = nil
        expectClearError(try await tool.run("status"), naming: ["are in s3://packages/", "--storage"])
        // The configuration may name it too.
        try tool.write([
            "packtool.json": "{\"package\": \"shop\", \"storage\": \"\(storage.address)\"}"
        ])
        try await run("status")
    }

    @Test func `what is wrong with a bucket is said, nothing is written, and no secret is repeated`() async throws {
        try await run("init", "--template", "config", "--app", "shop")
        let before = try tool.listing()
        func refused(_ words: [String], _ arguments: String..., environment: [String: String] = [:]) async throws {
            let outcome = try await tool.run(arguments, environment: environment)
            expectClearError(outcome, naming: words)
            #expect(!outcome.description.contains("sesame"), "\(outcome)")
            #expect(try tool.listing() == before, "\(arguments) wrote something")
        }
        try await refused(
            ["has no key and no secret", "AWS_ACCESS_KEY_ID"], "status", "--storage",
            "s3://key:open-sesame@packages/shop")
        try await refused(
            ["endpoint, region and style"], "status", "--storage", "s3://packages/shop?secret=open-sesame")
        try await refused(["--storage", "s3://BUCKET/PREFIX", "--files"], "status", "--storage", "some/folder")
        try await refused(["--storage", "postgres://HOST/DATABASE"], "status", "--registry", storage.address)
        try await refused(
            ["is a server", "leave out --storage"], "status", "--registry", "http://127.0.0.1:1", "--storage",
            storage.address)
        try await refused(["PACKTOOL_STORAGE", "empty"], "status", environment: ["PACKTOOL_STORAGE": " "])
        try await refused(
            ["refuses the credentials", "AWS_ACCESS_KEY_ID"], "status",
            environment: ["AWS_SECRET_ACCESS_KEY": "open-sesame"])
        let port = try LoopbackPort.free(1)[0]
        try await refused(
            ["cannot be reached"], "status", "--storage", "s3://packages/shop?endpoint=http://127.0.0.1:\(port)")
        // An empty prefix is not taken for the registry's own.
        try await refused(
            ["does not have the files of the registry", "--storage"], "status", "--storage",
            storage.server.address(prefix: "\(storage.prefix)-2"))
        // A device reads a server.
        try await refused(["packtool serve"], "client", "update", "--store", "device", "--channel", "beta")
        // Another registry cannot have the prefix.
        let database = server.url(database: try server.newDatabase())
        try await refused(
            ["has the files of another registry", "--storage"], "init", "fresh", "--template", "config", "--registry",
            database, "--files", "fresh-files")
        tool.environment["PACKTOOL_STORAGE"] = nil
        try await refused(["are in s3://packages/", "PACKTOOL_STORAGE"], "status")
    }
}
