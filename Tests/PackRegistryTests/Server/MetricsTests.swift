import Foundation
import Logging
import PackFormat
import Synchronization
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryServer

/// `GET /metrics`, of a real registry behind a real socket.
struct MetricsTests {
    /// The series of an exposition, read as strictly as its format is written down.
    struct Exposition {
        struct Unreadable: Error {
            let line: String
        }

        private(set) var values: [String: Double] = [:]
        private(set) var kinds: [String: String] = [:]

        init(_ text: String) throws {
            #expect(text.hasSuffix("\n"))
            var isExplained: Set<String> = []
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
                if let found = line.wholeMatch(of: /# HELP ([a-z_]+) (.+)/) {
                    #expect(isExplained.insert(String(found.1)).inserted, "\(found.1) is there twice")
                } else if let found = line.wholeMatch(of: /# TYPE ([a-z_]+) (counter|gauge|histogram)/) {
                    kinds[String(found.1)] = String(found.2)
                } else if let found = line.wholeMatch(
                    of: /(([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\})?) (-?[0-9.e+-]+)/)
                {
                    let name = String(found.2).replacing(/_(bucket|sum|count)$/, with: "")
                    #expect(kinds[String(found.2)] != nil || kinds[name] == "histogram", "no type: \(line)")
                    guard let value = Double(found.4) else { throw Unreadable(line: line) }
                    #expect(values.updateValue(value, forKey: String(found.1)) == nil, "twice: \(line)")
                } else {
                    throw Unreadable(line: line)
                }
            }
        }

        subscript(series: String) -> Double? { values[series] }
    }

    static func scrape(_ server: RunningServer, _ token: String) async throws -> Exposition {
        let answer = try await server.ask("GET", "/metrics", ["Authorization": "Bearer \(token)"])
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(answer["cache-control"] == "no-store")
        return try Exposition(answer.text)
    }

    static func token(_ shop: Shop, _ actions: Set<TokenAction>) async throws -> String {
        try await shop.registry.createToken(
            TokenRequest(name: "monitor", scope: TokenScope(actions: actions), expires: nil)
        ).secret
    }

    @Test func `only who may observe reads metrics, unless the server lets anybody`() async throws {
        try await ServedRegistryTests.with { (shop, server) async throws in
            #expect(try await server.ask("GET", "/metrics").status == 401)
            let publisher = try await Self.token(shop, [.publish, .release])
            #expect(
                try await server.ask("GET", "/metrics", ["Authorization": "Bearer \(publisher)"]).status == 403)
            _ = try await Self.scrape(server, Self.token(shop, [.observe]))
        }
    }

    @Test func `requests are counted by what they are for, on the fast way too`() async throws {
        try await ServedRegistryTests.with { (shop, server) async throws in
            let token = try await Self.token(shop, [.observe])
            let before = try await Self.scrape(server, token)
            for _ in 0..<3 { #expect(try await server.ask("GET", "/metadata/timestamp.json").status == 200) }
            #expect(try await server.ask("GET", "/v1/overview").status == 200)
            #expect(try await server.ask("GET", "/v1/tokens").status == 401)
            #expect(try await server.ask("GET", "/nothing/../x").status == 400)
            let after = try await Self.scrape(server, token)
            func more(_ series: String) -> Double { (after[series] ?? 0) - (before[series] ?? 0) }
            #expect(more(#"packtool_http_requests_total{kind="timestamp",status="2xx"}"#) == 3)
            #expect(more(#"packtool_http_requests_total{kind="api",status="2xx"}"#) == 1)
            #expect(more(#"packtool_http_requests_total{kind="api",status="4xx"}"#) == 1)
            #expect(more(#"packtool_http_response_bytes_total{kind="timestamp"}"#) > 300)
            let bucket = #"packtool_http_request_duration_seconds_bucket{kind="api",le="+Inf"}"#
            #expect(more(bucket) == 2)
            #expect(more(#"packtool_http_request_duration_seconds_count{kind="api"}"#) == 2)
            #expect(more(#"packtool_file_cache_requests_total{outcome="hit"}"#) >= 2)
            #expect((after["process_resident_memory_bytes"] ?? 0) > 1_000_000)
            #expect(after["packtool_registry_readable"] == 1)
            let (free, size) = (after["packtool_disk_free_bytes"] ?? 0, after["packtool_disk_size_bytes"] ?? 0)
            #expect(free > 1_000_000 && free < size)
        }
    }

    @Test func `signatures, rollouts and reports are seen as they are`() async throws {
        try await ServedRegistryTests.with { (shop, server) async throws in
            let token = try await Self.token(shop, [.observe])
            _ = try await shop.publisher().publish([shop.page("1.0.0").zip])
            let plan = try RolloutPlan(
                steps: [
                    .init(share: Share(percent: 5), time: PlanDuration("4h")),
                    .init(share: Share(percent: 100), time: nil),
                ])
            _ = try await shop.registry.rollout(
                RolloutRequest(.plan(plan), of: version("1.0.0")), of: package(), on: channel())
            _ = try await shop.registry.runRollouts()
            _ = try await shop.registry.rollout(
                RolloutRequest(.halt, of: version("1.0.0"), reason: "test"), of: package(), on: channel())
            let report = """
                {"format":1,"sender":"00000000000000000000000000000001","channel":"beta","events":[
                {"sequence":1,"code":"activated","time":\(Int(Date().timeIntervalSince1970)),"package":"checkout","version":"1.0.0"},
                {"sequence":2,"code":"activated","time":\(Int(Date().timeIntervalSince1970)),"package":"checkout","version":"9.0.0"}]}
                """
            for _ in 0..<2 {
                let answer = try await server.ask(
                    "POST", "/v1/reports", ["Content-Type": "application/json"], body: Array(report.utf8))
                #expect(answer.status == 200, "\(answer)")
            }
            #expect(
                try await server.ask(
                    "POST", "/v1/reports", ["Content-Type": "application/json"], body: Array("{}".utf8)
                ).status == 400)
            let found = try await Self.scrape(server, token)
            let labels = #"package="checkout",channel="beta",version="1.0.0",state="halted""#
            #expect(found["packtool_rollout_share_ratio{\(labels)}"] == 0.05)
            #expect(found[#"packtool_report_events_total{outcome="accepted"}"#] == 1)
            #expect(found[#"packtool_report_events_total{outcome="duplicate"}"#] == 1)
            #expect(found[#"packtool_report_events_total{outcome="neverOffered"}"#] == 2)
            #expect(found[#"packtool_report_batches_total{outcome="invalid"}"#] == 1)
            for (role, days) in [
                ("timestamp", 5.0...10.0), ("root", 700...735), ("targets", 700...735), ("package.checkout", 350...370),
            ] {
                let left = try #require(found["packtool_signature_expiry_seconds{role=\"\(role)\"}"], "\(role)")
                #expect(days.contains(left / 86_400), "\(role): \(left / 86_400) days")
                let date = try #require(found["packtool_signature_expiry_timestamp_seconds{role=\"\(role)\"}"])
                #expect(abs(date - Date().timeIntervalSince1970 - left) < 60)
            }
            // A role with a new version is read anew.
            shop.clock.advance(days: 5)
            _ = try await shop.publisher().publish([shop.page("1.1.0").zip])
            let later = try await Self.scrape(server, token)
            let series = #"packtool_signature_expiry_timestamp_seconds{role="package.checkout"}"#
            #expect((later[series] ?? 0) - (found[series] ?? 0) > 4 * 86_400)
        }
    }

    @Test func `every alert rule is about a metric that there is`() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let rules = try String(
            contentsOf: root.appendingPathComponent("templates/server/packtool-alerts.yml"), encoding: .utf8)
        let sources = ["API/MetricsController.swift", "Metrics/ServerMetrics.swift"].map {
            root.appendingPathComponent("Sources/PackRegistryServer/\($0)")
        }
        let text = try sources.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let names = rules.matches(of: /packtool_[a-z_]+/).map { String($0.output) }
        #expect(Set(names).count > 8)
        for name in names { #expect(text.contains("\"\(name.replacing(/_bucket$/, with: ""))\""), "\(name)") }
    }

    @Test func `a trusted proxy names a request, and nobody else does`() async throws {
        let lines = Mutex<[String]>([])
        let logger = Logger(label: "test") { _ in LineLog(lines: { line in lines.withLock { $0.append(line) } }) }
        var limits = ServerLimits()
        limits.trustedProxies = try TrustedProxies(["127.0.0.7"])
        try await RunningServer.with(APIAnswerTests.host(), limits: limits, logger: logger) { (server) async throws in
            let id = ["X-Request-Id": "0123456789abcdef-proxy"]
            let through = try await server.ask("GET", "/health/live", id, client: 7)
            #expect(through["x-request-id"] == "0123456789abcdef-proxy")
            let direct = try await server.ask("GET", "/health/live", id)
            #expect(direct["x-request-id"] != "0123456789abcdef-proxy")
            #expect(direct["x-request-id"]?.count ?? 0 >= 16)
            for bad in ["short", "with space in it", "quote\"quote\"quote", String(repeating: "a", count: 65)] {
                let answer = try await server.ask("GET", "/health/live", ["X-Request-Id": bad], client: 7)
                #expect(answer["x-request-id"] != bad)
            }
            let logged = lines.withLock { $0 }
            #expect(logged.contains { $0.contains("id=0123456789abcdef-proxy") })
            #expect(logged.contains { $0.contains("id=\(direct["x-request-id"] ?? "?")") })
        }
    }
}

/// Hands each message on as one line.
private struct LineLog: LogHandler {
    let lines: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    init(lines: @escaping @Sendable (String) -> Void) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
        lines("\(event.message) \(fields)")
    }
}
