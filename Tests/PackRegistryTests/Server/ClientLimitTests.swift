import Foundation
import HTTPTypes
import PackFormat
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryServer

/// What one address can hold of a server, and what all others notice of it.
struct ClientLimitTests {
    static let admin = "ptk_admin"

    static func host() throws -> FolderHost {
        try FolderHost(
            ["metadata/timestamp.json": [1]],
            tokens: [admin: Identity(name: "ci", scope: TokenScope(actions: [.admin]))])
    }

    @Test func `an address that has its connections gets no more, and others come in as ever`() async throws {
        var limits = ServerLimits()
        limits.maximumConnectionsPerAddress = 5
        try await RunningServer.with(Self.host(), limits: limits) { (server) async throws in
            var held = try (0..<5).map { _ in try server.connection() }
            for connection in held {
                await connection.send(RunningServer.request("GET", "/metadata/timestamp.json"))
                #expect(try await connection.answer().status == 200)
            }
            let sixth = try server.connection()
            let refusal = try await sixth.answer()
            #expect(refusal.status == 429 && refusal["retry-after"].flatMap { Int($0) } != nil)
            #expect(await sixth.isClosedByServer())
            #expect(try await server.ask("GET", "/health/live", client: 2).status == 200)
            held.removeFirst()
            // The server has to see the end first.
            var status = 0
            for _ in 0..<200 where status != 200 {
                status = (try? await server.ask("GET", "/health/live").status) ?? 0
                if status != 200 { try await Task.sleep(for: .milliseconds(20)) }
            }
            #expect(status == 200)
        }
    }

    @Test func `of a crowd that is refused only some are told why, and the others are shut at once`() async throws {
        var limits = ServerLimits()
        limits.maximumConnectionsPerAddress = 1
        limits.maximumRefusalAnswers = 2
        try await RunningServer.with(Self.host(), limits: limits) { (server) async throws in
            let held = try server.connection()
            await held.send(RunningServer.request("GET", "/metadata/timestamp.json"))
            #expect(try await held.answer().status == 200)
            let crowd = try (0..<20).map { _ in try server.connection() }
            var told = 0
            for connection in crowd {
                if (try? await connection.answer().status) == 429 { told += 1 }
                #expect(await connection.isClosedByServer())
            }
            // A second may begin in between.
            #expect((2...4).contains(told))
            #expect(try await server.ask("GET", "/health/live", client: 2).status == 200)
            await held.send(RunningServer.request("GET", "/metadata/timestamp.json"))
            #expect(try await held.answer().status == 200)
        }
    }

    @Test func `when the server is nearly full, connections that do nothing are closed sooner`() async throws {
        var limits = ServerLimits()
        limits.maximumConnections = 8
        limits.crowdedIdleTimeout = .seconds(1)
        try await RunningServer.with(Self.host(), limits: limits) { (server) async throws in
            let few = try (0..<2).map { _ in try server.connection(timeout: 3) }
            await #expect(!few[0].isClosedByServer())
            let silent = try (0..<4).map { _ in try server.connection(timeout: 15) }
            // One of those that has been handed to the parser.
            let parsed = try server.connection(timeout: 15, client: 2)
            await parsed.send(RunningServer.request("GET", "/health/live"))
            #expect(try await parsed.answer().status == 200)
            // Until so few are left that the server is not crowded: the two oldest at least, not all.
            let isAnyClosed = await withTaskGroup(of: Bool.self) { group in
                for connection in few + silent { group.addTask { await connection.isClosedByServer() } }
                return await group.contains(true)
            }
            #expect(isAnyClosed)
            withExtendedLifetime(few) {}
        }
    }

    @Test func `after twenty tokens that are not valid an address is told to wait, and valid ones go on`() async throws
    {
        try await RunningServer.with(Self.host()) { (server) async throws in
            func ask(_ token: String, client: UInt8 = 1) async throws -> RawAnswer {
                try await server.ask("GET", "/v1/tokens", ["Authorization": "Bearer \(token)"], client: client)
            }
            var statuses: [Int] = []
            for number in 0..<24 { statuses.append(try await ask("ptk_wrong\(number)").status) }
            // The minute may have ended in between.
            #expect(statuses.prefix(4).allSatisfy { $0 == 401 } && statuses.contains(429))
            let answer = try await ask("ptk_wrong")
            if statuses.last == 429 {
                #expect(answer.status == 429)
                #expect(answer["retry-after"].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
                #expect(
                    answer.text.contains("urn:packtool:problem:tooManyRequests") && answer.text.contains("127.0.0.1"))
            }
            #expect(try await ask(Self.admin).status == 200)
            #expect(try await ask("ptk_wrong", client: 2).status == 401)
            #expect(try await server.ask("GET", "/v1/tokens").status == 401)
        }
    }

    @Test func `failed tokens are counted by minute and address, in bounded memory`() {
        let time = Counter()
        let failed = FailedTokens(limit: 20) { .seconds(time.value) }
        func address(_ number: Int) -> ClientAddress? {
            ClientAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
        }
        let one = address(7)
        #expect((0..<20).compactMap { _ in one.flatMap(failed.add) } == [])
        #expect(one.flatMap(failed.add) == 60)
        time.value = 45
        #expect(one.flatMap(failed.add) == 15)
        #expect(address(8).flatMap(failed.add) == nil)
        for number in 0..<50_000 { _ = address(number).flatMap(failed.add) }
        #expect(failed.addressCount <= FailedTokens.maximumAddressCount + 1)
        time.value = 60
        #expect(one.flatMap(failed.add) == nil && failed.addressCount == 1)
    }

    @Test func `a customer's whole IPv6 network is one client`() {
        #expect(ClientAddress("2001:db8:1:2::1") == ClientAddress("2001:db8:1:2:ffff::9"))
        #expect(ClientAddress("2001:db8:1:2::1") != ClientAddress("2001:db8:1:3::1"))
        #expect(ClientAddress("::ffff:192.0.2.1") == ClientAddress("192.0.2.1"))
        #expect(ClientAddress("[::1]") != nil && ClientAddress("evil") == nil && ClientAddress("1.2.3") == nil)
        #expect(ClientAddress("2001:db8:1:2::1")?.description == "2001:db8:1:2::/64")
    }

    @Test(arguments: [
        ("10.0.0.1", "203.0.113.9", "203.0.113.9"), ("10.0.0.1", "1.1.1.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"), ("10.0.0.1", "203.0.113.9:1234", "203.0.113.9"),
        ("10.0.0.1", "nonsense", "10.0.0.1"), ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "[2001:db8::1]:80", "2001:db8::1"), ("192.0.2.1", "203.0.113.9", "192.0.2.1"),
    ])
    func `a client behind a proxy is the last hop that is no proxy`(peer: String, field: String, client: String) throws
    {
        let proxies = try TrustedProxies(["10.0.0.0/24"])
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        #expect(proxies.client(of: peer, [name: field]) == ClientAddress(client))
    }

    @Test func `the standard's own field is read where it is the proxy's, and only then`() throws {
        let name = try #require(HTTPField.Name("Forwarded"))
        let text = "for=1.1.1.1, for=\"[2001:db8::1]:4711\";proto=https"
        let proxies = try TrustedProxies(["10.0.0.1"], field: .forwarded)
        #expect(proxies.client(of: "10.0.0.1", [name: text]) == ClientAddress("2001:db8::1"))
        let others = try TrustedProxies(["10.0.0.1"])
        #expect(others.client(of: "10.0.0.1", [name: text]) == ClientAddress("10.0.0.1"))
        #expect(throws: RegistryError.self) { try TrustedProxies(["proxy.example.com"]) }
        #expect(throws: RegistryError.self) { try TrustedProxies(["10.0.0.0/33"]) }
    }

    @Test func `behind a trusted proxy each client has its own count, and the proxy none`() async throws {
        var limits = ServerLimits()
        limits.maximumConnectionsPerAddress = 2
        limits.trustedProxies = try TrustedProxies(["127.0.0.1"])
        try await RunningServer.with(Self.host(), limits: limits) { (server) async throws in
            let many = try (0..<6).map { _ in try server.connection() }
            for connection in many {
                await connection.send(RunningServer.request("GET", "/metadata/timestamp.json"))
                #expect(try await connection.answer().status == 200)
            }
            let upload =
                "Authorization: Bearer \(Self.admin)\r\nX-Forwarded-For: 203.0.113.9\r\nContent-Length: 1000\r\n"
            let slow = try (0..<2).map { _ in try server.connection() }
            for connection in slow {
                await connection.send("POST /v1/missing-objects HTTP/1.1\r\nHost: x\r\n\(upload)\r\n{")
            }
            var answer: RawAnswer?
            for _ in 0..<200 where answer?.status != 429 {
                answer = try await server.ask("GET", "/health/live", ["X-Forwarded-For": "203.0.113.9"])
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(answer?.status == 429 && answer?.text.contains("203.0.113.9") == true)
            #expect(try await server.ask("GET", "/health/live", ["X-Forwarded-For": "203.0.113.10"]).status == 200)
            withExtendedLifetime((many, slow)) {}
        }
    }

    private final class Counter: @unchecked Sendable {
        var value = 0
    }
}
