import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// `POST /v1/reports` over real sockets, and what is answered about it.
@Suite("ReportServerTests") struct ReportServerTests {
    static let json = ["Content-Type": "application/json"]

    /// A shop whose beta channel offers checkout 1.0.0.
    static func stocked() async throws -> (shop: Shop, release: String) {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        let outcome = try await shop.registry.change(
            .offer(version("1.0.0"), Rollout(percent: 100)), of: package(), on: channel())
        return (shop, try #require(outcome.releases.first?.id))
    }

    static func batch(
        _ sender: Int, _ codes: [ReportEvent.Code], from first: Int = 1, version text: String = "1.0.0",
        release: String? = nil
    ) throws -> [UInt8] {
        let hex = String(sender, radix: 16)
        let now = Int(Date().timeIntervalSince1970)
        let events = try codes.enumerated().map { index, code in
            var event = try ReportEvent(
                sequence: first + index, code: code, time: now, package: package(), version: version(text),
                release: release)
            if code == .failed { (event.phase, event.fault) = (.start, .neverConfirmed) }
            if code == .downloaded { event.wireByteCount = 10 }
            return event
        }
        let batch = try ReportBatch(
            sender: ReportID(String(repeating: "0", count: 32 - hex.count) + hex), channel: channel(), events: events)
        return Array(JSONValue.object(batch.json).compactText.utf8)
    }

    static func receipt(_ answer: RawAnswer) throws -> [Int] {
        let json = try JSONValue(parsing: answer.body).object()
        let dropped = try json.object("dropped")
        return try [
            json.integer("accepted"), json.integer("duplicates"), dropped.integer("unknown"),
            dropped.integer("neverOffered"),
        ]
    }

    @Test func `what a device sends is counted once, and seen by who may`() async throws {
        let (shop, release) = try await Self.stocked()
        let token = try await shop.registry.createToken(
            TokenRequest(name: "eyes", scope: TokenScope(actions: [.observe]), expires: nil))
        try await RunningServer.with(shop.local) { server in
            let codes: [ReportEvent.Code] = [.downloaded, .installed, .activated, .confirmed]
            let body = try Self.batch(1, codes, release: release)
            let first = try await server.ask("POST", "/v1/reports", Self.json, body: body)
            #expect(first.status == 200 && first["access-control-allow-origin"] == "*", "\(first)")
            #expect(try Self.receipt(first) == [4, 0, 0, 0])
            let again = try await server.ask("POST", "/v1/reports", Self.json, body: body)
            #expect(try Self.receipt(again) == [0, 4, 0, 0])
            let failed = try Self.batch(2, [.activated, .failed, .rolledBack], release: release)
            _ = try await server.ask("POST", "/v1/reports", Self.json, body: failed)
            let forged = try Self.batch(3, [.failed, .failed], version: "9.9.9")
            #expect(
                try Self.receipt(await server.ask("POST", "/v1/reports", Self.json, body: forged)) == [0, 0, 0, 2])

            let remote = try RemoteRegistry(server.url, token: token.secret)
            let stats = try await remote.stats(StatsQuery(channel: channel()))
            let seen = try #require(stats.versions.first)
            #expect(stats.versions.count == 1 && seen.release == release)
            #expect(seen.activated == 2 && seen.confirmed == 1 && seen.failed == 1 && seen.silent == 0)
            #expect(stats.failures.map(\.fault) == [.neverConfirmed])
            #expect(stats.savings.wireByteCount == 10 * stats.savings.installations)
            let id = try ReportID(String(repeating: "0", count: 31) + "1")
            #expect(try await remote.reports(of: id).map(\.event.code) == codes)
            // Who may observe may not delete.
            await #expect(throws: RegistryError.self) { try await remote.deleteReports(of: id) }
            #expect(try await shop.registry.deleteReports(of: id) == 4)
            #expect(try await remote.reports(of: id).isEmpty)
            for right in [TokenAction.publish, .release] {
                let other = try await shop.registry.createToken(
                    TokenRequest(name: "ci", scope: TokenScope(actions: [right]), expires: nil))
                await #expect(throws: RegistryError.self) {
                    try await RemoteRegistry(server.url, token: other.secret).stats(StatsQuery(channel: channel()))
                }
            }
            #expect(try await server.ask("GET", "/v1/channels/beta/stats").status == 401)
        }
    }

    @Test func `a version that is offered while the server runs is known at its first report`() async throws {
        let (shop, _) = try await Self.stocked()
        try await RunningServer.with(shop.local) { server in
            _ = try await server.ask("POST", "/v1/reports", Self.json, body: Self.batch(1, [.activated]))
            try await shop.publisher().publish([shop.page("1.1.0").zip])
            _ = try await shop.registry.change(.offer(version("1.1.0"), .everyone), of: package(), on: channel())
            // The server looks again after a second at most.
            try await Task.sleep(for: .milliseconds(1100))
            let answer = try await server.ask(
                "POST", "/v1/reports", Self.json, body: Self.batch(1, [.activated], from: 2, version: "1.1.0"))
            #expect(try Self.receipt(answer) == [1, 0, 0, 0])
        }
    }

    @Test func `malformed, huge and compressed reports are refused, and nothing of them counts`() async throws {
        let (shop, _) = try await Self.stocked()
        try await RunningServer.with(shop.local) { server in
            func status(_ body: [UInt8], _ fields: [String: String] = Self.json) async throws -> Int {
                try await server.ask("POST", "/v1/reports", fields, body: body).status
            }
            let sound = try Self.batch(1, [.activated])
            #expect(try await status(Array(sound.dropLast())) == 400)
            #expect(try await status(Array("{}".utf8)) == 400)
            #expect(try await status(sound, ["Content-Type": "text/plain"]) == 415)
            #expect(try await status(sound, Self.json.merging(["Content-Encoding": "zstd"]) { $1 }) == 415)
            #expect(try await status(sound, Self.json.merging(["Content-Encoding": "gzip"]) { $1 }) == 415)
            let huge = [UInt8](repeating: UInt8(ascii: " "), count: ReportBatch.maximumByteCount + 1)
            #expect(try await status(huge) == 413)
            #expect(try await status(Array(String(repeating: "[", count: 200_000).utf8)) == 400)
            #expect(try await server.ask("GET", "/v1/reports").status == 405)
            let stats = try await shop.registry.stats(StatsQuery(channel: channel()))
            #expect(stats.versions.isEmpty)
            #expect(try await status(sound) == 200)
        }
    }

    @Test func `a page of another origin may ask and send`() async throws {
        let (shop, _) = try await Self.stocked()
        try await RunningServer.with(shop.local) { server in
            let answer = try await server.ask(
                "OPTIONS", "/v1/reports",
                ["Origin": "https://shop.example", "Access-Control-Request-Method": "POST"])
            #expect(answer.status == 204 && answer["access-control-allow-origin"] == "*", "\(answer)")
            #expect(answer["access-control-allow-methods"] == "POST")
            #expect(answer["access-control-allow-headers"] == "Content-Type")
        }
    }

    @Test func `one sender and one network have caps, by the client that a trusted proxy names`() async throws {
        let (shop, _) = try await Self.stocked()
        var limits = ServerLimits()
        limits.trustedProxies = try TrustedProxies(["127.0.0.1"])
        limits.reportCaps.perSender = 4
        limits.reportCaps.perNetwork = 6
        try await RunningServer.with(shop.local, limits: limits) { server in
            func send(_ sender: Int, _ first: Int, from address: String) async throws -> RawAnswer {
                try await server.ask(
                    "POST", "/v1/reports", Self.json.merging(["X-Forwarded-For": address]) { $1 },
                    body: Self.batch(sender, [.activated, .confirmed, .repaired], from: first))
            }
            #expect(try await send(1, 1, from: "192.0.2.1").status == 200)
            let refused = try await send(1, 4, from: "198.51.100.1")
            #expect(refused.status == 429 && (refused["retry-after"].flatMap { Int($0) } ?? 0) > 0, "\(refused)")
            #expect(try await send(2, 1, from: "192.0.2.77").status == 200)
            #expect(try await send(3, 1, from: "192.0.2.3").status == 429, "the network's cap")
            #expect(try await send(3, 1, from: "198.51.100.1").status == 200)
        }
    }

    @Test func `a server that takes no reports says so`() async throws {
        let (shop, _) = try await Self.stocked()
        var limits = ServerLimits()
        limits.takesReports = false
        try await RunningServer.with(shop.local, limits: limits) { server in
            let answer = try await server.ask("POST", "/v1/reports", Self.json, body: Self.batch(1, [.activated]))
            #expect(answer.status == 404 && answer.text.contains("--reports off"))
        }
    }
}
