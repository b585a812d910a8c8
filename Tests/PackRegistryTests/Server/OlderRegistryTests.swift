import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// The client of today before a registry of an older packtool, which has nothing at newer paths.
struct OlderRegistryTests {
    private static func problem(_ status: Int, _ kind: RegistryError.Kind, _ detail: String) -> LoopbackServer.Reply {
        let body =
            "{\"type\":\"\(ProblemFormat.typePrefix)\(kind.rawValue)\",\"status\":\(status),\"detail\":\"\(detail)\"}"
        return .answer(
            status, fields: [("Content-Type", "application/problem+json")], body: Array(body.utf8))
    }

    /// Forwards to a server of today, but for `/v1/rollouts`.
    private static func older(
        _ server: RunningServer, rollouts: LoopbackServer.Reply
    ) async throws -> LoopbackServer {
        try await LoopbackServer { request in
            if request.path == "/v1/rollouts" { return rollouts }
            do {
                let answer = try await server.ask(
                    request.method, request.target, ["Authorization": request.field("Authorization") ?? ""])
                return .answer(
                    answer.status, fields: [("Content-Type", answer["content-type"] ?? "")], body: answer.body)
            } catch {
                return .close
            }
        }
    }

    private static func token(_ shop: Shop, _ actions: Set<TokenAction>, _ packages: String...) async throws -> String {
        let scope = try TokenScope(
            actions: actions, packages: packages.isEmpty ? nil : Set(packages.map { try package($0) }))
        return try await shop.registry.createToken(TokenRequest(name: "ci", scope: scope, expires: nil)).secret
    }

    @Test func `all rollouts are asked for package by package, without those that the token may not see`() async throws
    {
        try await ServedRegistryTests.with { (shop, server) async throws in
            try await shop.publisher().publish(
                [shop.page("1.0.0").zip, shop.page("1.1.0").zip, shop.page("1.0.0", package: "help").zip])
            _ = try await shop.registry.change(.offer(version("1.0.0")), of: package(), on: channel())
            let plan = try RolloutPlan(
                parsing: Array("{\"steps\": [{\"share\": 1, \"for\": \"4h\"}, {\"share\": 100}]}".utf8), named: "plan")
            _ = try await shop.registry.rollout(
                RolloutRequest(.plan(plan), of: version("1.1.0")), of: package(), on: channel())
            let older = try await Self.older(
                server, rollouts: Self.problem(404, .notFound, "there is nothing at this path"))
            defer { older.stop() }
            func remote(_ token: String) throws -> RemoteRegistry { try RemoteRegistry(older.endpoint, token: token) }
            let scoped = try await remote(Self.token(shop, [.observe], "checkout")).rollouts(of: nil)
            #expect(scoped.map(\.version) == [try version("1.1.0")])
            #expect(try await remote(Self.token(shop, [.release], "help")).rollouts(of: nil).isEmpty)
            let publisher = try await remote(Self.token(shop, [.publish]))
            let refused = await #expect(throws: RegistryError.self) { try await publisher.rollouts(of: nil) }
            #expect(refused?.kind == .forbidden)
        }
    }

    @Test func `what is not found for another reason is not taken for an older registry`() async throws {
        try await ServedRegistryTests.with { (shop, server) async throws in
            let other = try await Self.older(server, rollouts: Self.problem(404, .notFound, "there is no plan"))
            defer { other.stop() }
            let remote = try await RemoteRegistry(other.endpoint, token: Self.token(shop, [.observe]))
            let error = await #expect(throws: RegistryError.self) { try await remote.rollouts(of: nil) }
            #expect(error?.message == "there is no plan")
        }
    }
}
