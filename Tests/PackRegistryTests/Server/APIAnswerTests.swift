import Foundation
import Logging
import PackFormat
import PackJSON
import Synchronization
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryServer

/// What the API says, whatever registry stands behind it.
struct APIAnswerTests {
    static func host() throws -> FolderHost {
        let checkout = try PackageID("checkout")
        let host = try FolderHost(
            ["metadata/timestamp.json": [1], "packages/checkout-1.1.0.zip": Array("zip".utf8)],
            tokens: [
                "ptk_admin": Identity(name: "admin", scope: TokenScope(actions: [.admin])),
                "ptk_ci": Identity(name: "ci", scope: TokenScope(actions: [.publish], packages: [checkout])),
                "ptk_ops": Identity(
                    name: "ops", scope: TokenScope(actions: [.release], channels: [try ChannelName("beta")])),
            ])
        let manifest = Digest(of: [1])
        host.releases.withLock {
            $0["checkout@beta"] = [
                try? Release(
                    id: "r2", offer: .version(SemanticVersion("1.1.0"), manifest: manifest),
                    requiredApp: VersionRange(">=2.0.0")),
                try? Release(id: "r1", offer: .embedded),
            ].compactMap(\.self)
        }
        return host
    }

    static func bearer(_ token: String) -> [String: String] {
        ["Authorization": "Bearer ptk_\(token)", "Content-Type": "application/json"]
    }

    static func problem(_ answer: RawAnswer) throws -> String {
        #expect(answer["content-type"] == "application/problem+json")
        #expect(answer["cache-control"] == "no-store")
        #expect(answer["x-request-id"]?.isEmpty == false)
        let document = try JSONValue(parsing: answer.body).object()
        #expect(Set(document.members.map(\.key)) == ["type", "title", "status", "detail"])
        #expect(try document.integer("status") == answer.status)
        return try document.string("type").replacing("urn:packtool:problem:", with: "")
    }

    @Test(arguments: [
        ("POST", "/v1/missing-objects"), ("POST", "/v1/uploads"), ("POST", "/v1/versions"),
        ("POST", "/v1/packages/checkout/versions/1.0.0/withdrawal"), ("PUT", "/v1/metadata/targets"),
        ("POST", "/v1/channels/beta/packages/checkout"), ("GET", "/v1/tokens"), ("POST", "/v1/tokens"),
        ("DELETE", "/v1/tokens/x"), ("GET", "/v1/audit"),
    ])
    func `nothing is written, and no token or log is shown, without a token that is valid`(
        method: String, path: String
    ) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let none = try await server.ask(method, path, body: [])
            #expect(try (none.status, Self.problem(none)) == (401, "unauthorized"))
            #expect(none["www-authenticate"] == "Bearer realm=\"packtool\"")
            for field in ["Bearer ptk_wrong", "Bearer ", "Basic cHRrOg==", "ptk_admin", "Bearer ptk_admin, Bearer x"] {
                let wrong = try await server.ask(method, path, ["Authorization": field], body: [])
                #expect(try (wrong.status, Self.problem(wrong)) == (401, "unauthorized"))
                #expect(wrong["www-authenticate"]?.contains("error=\"invalid_token\"") == true)
            }
        }
    }

    @Test(arguments: [
        ("ci", "POST", "/v1/channels/beta/packages/checkout"), ("ci", "GET", "/v1/tokens"), ("ci", "GET", "/v1/audit"),
        ("ci", "POST", "/v1/packages/other/versions/1.0.0/withdrawal"), ("ops", "POST", "/v1/uploads"),
        ("ops", "POST", "/v1/channels/stable/packages/checkout"), ("ops", "POST", "/v1/tokens"),
        ("ops", "DELETE", "/v1/tokens/x"),
    ])
    func `a token that does not reach that far is told so`(token: String, method: String, path: String) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask(method, path, Self.bearer(token), body: Array("{}".utf8))
            #expect(try (answer.status, Self.problem(answer)) == (403, "forbidden"))
            #expect(answer["www-authenticate"]?.contains("insufficient_scope") == true)
        }
    }

    @Test func `each refusal of the registry has its status`() async throws {
        let digest = Digest(of: [1])
        let role = Data("{}".utf8).base64EncodedString()
        try await RunningServer.with(Self.host()) { (server) async throws in
            func ask(_ method: String, _ path: String, _ body: String) async throws -> RawAnswer {
                try await server.ask(method, path, Self.bearer("admin"), body: Array(body.utf8))
            }
            let conflict = try await ask("POST", "/v1/versions", "{\"manifest\":\"\(digest)\",\"role\":\"\(role)\"}")
            #expect(try (conflict.status, Self.problem(conflict)) == (409, "conflict"))
            let full = try await ask(
                "POST", "/v1/packages/checkout/versions/1.0.0/withdrawal", "{\"reason\":\"x\",\"role\":\"\(role)\"}")
            #expect(try (full.status, Self.problem(full)) == (507, "full"))
            let busy = try await ask("PUT", "/v1/metadata/targets", "{}")
            #expect(try (busy.status, Self.problem(busy), busy["retry-after"]) == (503, "busy", "2"))
            let invalid = try await ask("POST", "/v1/tokens", "{\"name\":\"\",\"scope\":{\"actions\":[]}}")
            #expect(try (invalid.status, Self.problem(invalid)) == (422, "invalid"))
            let missing = try await ask("DELETE", "/v1/tokens/none", "")
            #expect(try (missing.status, Self.problem(missing)) == (404, "notFound"))
            let failed = try await ask("GET", "/v1/audit", "")
            #expect(try (failed.status, Self.problem(failed)) == (500, "internal"))
            #expect(!failed.text.contains("URLError") && !failed.text.contains("NSURL"))
            let id = try #require(failed["x-request-id"])
            #expect(failed.text.contains("its log has the reason under the id \(id)\""), "\(failed.text)")
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{\"change\":\"offer\"}", "{\"change\":\"offer\",\"version\":\"1\",\"percent\":5}",
        "{\"change\":\"offer\",\"version\":\"1.0.0\",\"percent\":101}", "{\"change\":\"percent\",\"percent\":1.5}",
        "{\"change\":\"fly\"}", "{\"change\":\"retry\",\"why\":1}", "{\"change\":\"retry\",\"change\":\"retry\"}",
        "{\"change\":\"promote\",\"from\":\"-\"}", "{\"change\":\"rollBack\",\"to\":7}",
        String(repeating: "[", count: 100_000), "{\"change\":\"\\ud800\"}",
    ])
    func `a body that is not the JSON that is asked for is refused`(body: String) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask(
                "POST", "/v1/channels/beta/packages/checkout", Self.bearer("admin"), body: Array(body.utf8))
            #expect(try (answer.status, Self.problem(answer)) == (400, "invalid"))
        }
    }

    @Test func `a body of another type is refused`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask(
                "POST", "/v1/channels/beta/packages/checkout",
                ["Authorization": "Bearer ptk_admin", "Content-Type": "text/plain"],
                body: Array("{\"change\":\"retry\"}".utf8))
            #expect(answer.status == 415)
        }
    }

    @Test func `an unknown path is 404 and a known one with another method is 405`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            for path in ["/v1", "/v1/", "/v1/none", "/v2/overview", "/health", "/favicon.ico", "/v1/overview/x"] {
                let answer = try await server.ask("GET", path)
                #expect(try (answer.status, Self.problem(answer)) == (404, "notFound"))
            }
            let wrong = try await server.ask("PUT", "/v1/tokens", body: [])
            #expect(try (wrong.status, Self.problem(wrong)) == (405, "methodNotAllowed"))
            #expect(wrong["allow"] == "GET, HEAD, POST")
            #expect(try await server.ask("GET", "/v1/uploads")["allow"] == "POST")
        }
    }

    @Test func `the overview is for everybody, and health says what it is`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let overview = try await server.ask("GET", "/v1/overview")
            #expect(overview.status == 200)
            #expect(overview.text == #"{"app":"shop","channels":{},"earlier":{},"packages":{}}"#)
            #expect(overview["content-security-policy"]?.contains("default-src 'none'") == true)
            #expect(try await server.ask("GET", "/health/live").text == "{\"status\":\"live\"}")
            #expect(try await server.ask("GET", "/health/ready").text == "{\"status\":\"ready\"}")
            #expect(try await server.ask("HEAD", "/health/ready").status == 200)
        }
    }

    @Test(arguments: [Duration.zero, .seconds(30)])
    func `a database that is away makes the server not ready, in time, and names no host`(after time: Duration)
        async throws
    {
        let host = try Self.host()
        host.outage.withLock { $0 = time }
        try await RunningServer.with(host) { (server) async throws in
            let begun = ContinuousClock.now
            let answer = try await server.ask("GET", "/health/ready")
            #expect(answer.status == 503 && !answer.text.contains("db.internal"), "\(answer)")
            #expect(.now - begun < .seconds(15))
            var metrics = try await server.ask("GET", "/metrics", ["Authorization": "Bearer ptk_admin"])
            // The server may not have seen yet that the connection before was closed.
            while !metrics.text.contains("\npacktool_connections 1\n"), .now - begun < .seconds(25) {
                try await Task.sleep(for: .milliseconds(20))
                metrics = try await server.ask("GET", "/metrics", ["Authorization": "Bearer ptk_admin"])
            }
            #expect(metrics.status == 200 && metrics.text.contains("\npacktool_registry_readable 0\n"), "\(metrics)")
            #expect(
                metrics.text.contains("\npacktool_connections 1\n") && !metrics.text.contains("packtool_queue_packages")
            )
            host.outage.withLock { $0 = nil }
            if time == .zero { #expect(try await server.ask("GET", "/health/ready").status == 200) }
        }
    }

    @Test func `a device without an updater is told what to have`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let target = "/v1/update?channel=beta&package=checkout&device=d1&platform=ios&tag=tier%3Dgold"
            let update = try await server.ask("GET", target + "&app=2.1.0&current=1.0.0")
            let document = try JSONValue(parsing: update.body).object()
            #expect(try document.string("action") == "update")
            #expect(try document.string("version") == "1.1.0")
            #expect(try document.string("site") == "/site/checkout/1.1.0/")
            let archive = try document.object("archive")
            #expect(try archive.string("url") == "/packages/checkout-1.1.0.zip")
            #expect(try archive.string("sha256") == Digest(of: Array("zip".utf8)).hex)
            #expect(try archive.integer("size") == 3)
            let again = try await server.ask(
                "GET", target + "&app=2.1.0&current=1.0.0", ["If-None-Match": update["etag"] ?? ""])
            #expect((again.status, again["cache-control"]) == (304, "no-cache"))
            let current = try await server.ask("GET", target + "&app=2.1.0&current=1.1.0")
            #expect(try JSONValue(parsing: current.body).object().string("action") == "none")
            let old = try await server.ask("GET", target + "&app=1.0.0")
            #expect(try JSONValue(parsing: old.body).object().string("action") == "embedded")
            #expect(try JSONValue(parsing: old.body).object().array("steps").count == 2)
        }
    }

    @Test(arguments: [
        ("", 400), ("channel=beta", 400), ("channel=beta&package=checkout", 400),
        ("channel=beta&package=checkout&device=", 400), ("channel=-&package=checkout&device=d", 400),
        ("channel=beta&package=%C3%96&device=d", 400), ("channel=beta&package=checkout&device=d&app=x", 400),
        ("channel=beta&package=checkout&device=d&tag=x", 400), ("channel=none&package=checkout&device=d", 404),
        ("channel=beta&package=none&device=d", 404),
    ])
    func `an update question that cannot be answered says why`(query: String, status: Int) async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            let answer = try await server.ask("GET", "/v1/update?" + query)
            #expect(answer.status == status)
            _ = try Self.problem(answer)
        }
    }

    @Test func `a request leaves one line in the log, without its token and its query`() async throws {
        let lines = LogLines()
        var logger = Logger(label: "test") { _ in lines }
        logger.logLevel = .info
        try await RunningServer.with(Self.host(), logger: logger) { (server) async throws in
            _ = try await server.ask(
                "GET", "/v1/update?channel=beta&package=checkout&device=my-device", Self.bearer("secret"))
            _ = try await server.ask("GET", "/v1/tokens", Self.bearer("secret"))
            _ = try await server.ask("GET", "/metadata/%1B[31m")
        }
        let text = lines.text
        let requests = text.split(separator: "\n").filter { $0.contains("request ") }
        #expect(requests.count == 3)
        #expect(requests.first?.contains("path=/v1/update status=200") == true)
        #expect(!text.contains("secret") && !text.contains("my-device") && !text.contains("\u{1B}"))
    }

    @Test func `a root that no device can have is refused and stops nobody`() async throws {
        try await RunningServer.with(Self.host()) { (server) async throws in
            for root in ["9223372036854775807", "9223372036854775808", "1000000001", "0", "-1"] {
                #expect(try await server.ask("GET", "/v1/bundle/\(root)/beta").status == 400)
            }
            #expect(try await server.ask("GET", "/health/live").status == 200)
        }
    }
}

/// Keeps what is logged.
final class LogLines: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .info }
        set {}
    }

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        lines.withLock { $0.append("\(event.message) \(fields.joined(separator: " "))") }
    }
}
