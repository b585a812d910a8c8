import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryServer

/// CI jobs that get tokens for their id tokens, against a real server, which asks a real issuer for its keys.
struct ExchangeTests {
    @Test func `a job publishes with the rights of its trust for 15 minutes, and the log names it`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            // The owner lets the publisher's key publish the package, once.
            try await bench.shop.publisher().publish([bench.shop.page("0.9.0").zip])
            let made = try await bench.exchange(bench.token())
            #expect(made.record.parent == bench.trust.id && made.record.scope == bench.trust.scope)
            let life = made.record.expires?.timeIntervalSince(bench.shop.clock.now) ?? 0
            #expect(abs(life - 900) < 0.01)
            let remote = try RemoteRegistry(bench.server.url, token: made.secret)
            let site = try bench.shop.page("1.0.0")
            #expect(try await bench.shop.publisher(over: remote).publish([site.zip]).map(\.outcome) == [.published])
            let refused = await #expect(throws: RegistryError.self) {
                try await remote.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
            }
            #expect(refused?.kind == .forbidden)
            let log = try await bench.shop.registry.auditLog(limit: 100)
            let job = "releases: repo:acme/shop:environment:production (\(made.record.id))"
            #expect(
                log.contains { $0.actor == job && $0.action == "publish" }, "\(log.map { "\($0.actor) \($0.action)" })")
            let exchange = try #require(log.first { $0.action == "token exchange" })
            #expect(exchange.subject == made.record.id && exchange.detail.contains("\"environment\":\"production\""))
            bench.shop.clock.advance(seconds: 901)
            let late = await #expect(throws: RegistryError.self) { try await remote.identity() }
            #expect(late?.message.contains("expired") == true)
            #expect(late?.message.contains("packtool token exchange makes another") == true)
        }
    }

    @Test func `an id token is exchanged once, on whatever server and however many send it`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let token = try bench.token()
            let second = try await bench.shop.reopened()
            try await RunningServer.with(second, internalIssuers: true) { (other) async throws in
                let elsewhere = try RemoteRegistry(other.url, token: nil, retry: ExchangeBench.once)
                let answers = await withTaskGroup(of: String.self) { group in
                    for number in 0..<8 {
                        let client = number % 2 == 0 ? bench.client : elsewhere
                        group.addTask {
                            do {
                                _ = try await client.exchange(TokenExchangeRequest(idToken: token))
                                return "made"
                            } catch { return ((error as? RegistryError)?.kind).map { "\($0)" } ?? "\(error)" }
                        }
                    }
                    return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                }
                #expect(answers == ["made": 1, "conflict": 7])
            }
            #expect(try await bench.refusal(of: token, .conflict).contains("exchanged before"))
            // The row goes when no clock could accept the token any more, and it is expired then.
            bench.shop.clock.advance(days: 2)
            _ = try await bench.exchange(bench.token())
            #expect(try await bench.shop.registry.tokens().count == 2)
            #expect(try await bench.refusal(of: token).contains("expired"))
        }
    }

    @Test func `a job proposes and approves nothing`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let trust = try await ExchangeBench.trust(
                bench.shop, bench.issuer, claims: ["repository": "acme/shop"], actions: [.release], name: "rollouts")
            let made = try await bench.exchange(bench.token(), trust: trust.id)
            let job = try RemoteRegistry(bench.server.url, token: made.secret)
            let refused = await #expect(throws: RegistryError.self) { try await job.vote(.approve, on: 1) }
            #expect(refused?.kind == .forbidden && refused?.message.contains("approved by people") == true)
        }
    }

    @Test func `a job of another branch, tag or environment gets no token`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let tags = try await ExchangeBench.trust(
                bench.shop, bench.issuer, claims: ["repository": "acme/shop", "ref": "refs/tags/v*"], name: "tags")
            // What a job says that somebody started on a branch of his own, with the workflow as it is there.
            let workflow = "acme/shop/.github/workflows/release.yml@refs/heads/mallory"
            for (claims, said) in [
                (["ref": "refs/heads/mallory", "workflow_ref": .string(workflow)], "ref is refs/heads/mallory"),
                (["ref": "refs/heads/v1"], "ref is refs/heads/v1"), (["ref": "refs/tags/w1"], "ref is refs/tags/w1"),
                (["environment": "staging"], "environment is staging"),
                (["environment": .null, "sub": "repo:acme/shop:ref:refs/heads/main"], "environment is not there"),
            ] as [(JSONObject, String)] {
                let message = try await bench.refusal(of: bench.token(claims))
                #expect(message.contains(said), "\(claims): \(message)")
            }
            #expect(try await bench.shop.registry.tokens().allSatisfy { $0.parent == nil })
            // Each of the two trusts admits what it is for.
            #expect(try await bench.exchange(bench.token()).record.parent == bench.trust.id)
            let release: JSONObject = ["ref": "refs/tags/v1.2.0", "environment": .null]
            #expect(try await bench.exchange(bench.token(release)).record.parent == tags.id)
        }
    }

    @Test func `a revoked trust makes no token, and those that it made end`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let made = try await bench.exchange(bench.token())
            let remote = try RemoteRegistry(bench.server.url, token: made.secret)
            #expect(try await remote.identity().name.hasPrefix("releases: "))
            #expect(try await bench.shop.registry.revokeToken(id: bench.trust.id))
            let ended = await #expect(throws: RegistryError.self) { try await remote.identity() }
            #expect(ended?.message.contains("no longer trusts") == true)
            #expect(try await bench.refusal(of: bench.token()).contains("does not trust the issuer"))
        }
    }

    @Test func `of several trusts that admit a job one has to be named`() async throws {
        try await ExchangeBench.with { (bench) async throws in
            let second = try await ExchangeBench.trust(
                bench.shop, bench.issuer, claims: ["sub": "repo:acme/shop:environment:production"], actions: [.release],
                name: "other")
            let token = try bench.token()
            let message = try await bench.refusal(of: token, .invalid)
            #expect(message.contains(bench.trust.id) && message.contains(second.id), "\(message)")
            let unknown = await #expect(throws: RegistryError.self) { try await bench.exchange(token, trust: "nosuch") }
            #expect(unknown?.message.contains("no trust \"nosuch\"") == true, "\(String(describing: unknown))")
            #expect(try await bench.exchange(token, trust: second.id).record.scope.actions == [.release])
        }
    }

    @Test func `a client that sends many wrong id tokens waits`() async throws {
        try await ExchangeBench.with(failures: 20) { (bench) async throws in
            let body = Array("{\"idToken\":\"a.b.c\"}".utf8)
            let fields = ["Content-Type": "application/json"]
            var statuses: [Int] = []
            for _ in 0..<40 {
                statuses.append(try await bench.server.ask("POST", "/v1/tokens/exchange", fields, body: body).status)
            }
            #expect(statuses.first == 401 && statuses.last == 429)
        }
    }
}
