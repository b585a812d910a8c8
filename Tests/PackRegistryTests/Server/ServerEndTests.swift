import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL
@testable import PackRegistryServer

/// How a server ends, and what it leaves to the next.
struct ServerEndTests {
    /// Some megabytes that take seconds to compress well.
    private static func large(_ text: String, in shop: Shop, seed: UInt64 = 7) throws -> Site {
        var random = Lines(seed: seed)
        let lines = (0..<12_000).map { _ in random.next() }
        return try Site(
            "checkout", text,
            ["index.html": "<h1>\(text)</h1>", "app.js": lines.joined(separator: "\n") + "// \(text)\n"],
            in: shop.folder)
    }

    private static func isRunning(_ process: Int32) -> Bool {
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return !text.isEmpty && !text.contains(") Z ")
    }

    /// The process that makes patches for a server, as soon as there is one.
    private static func maker(of server: ServeProcess) async throws -> Int32 {
        for _ in 0..<3_000 {
            if let child = try server.children().first { return child }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RegistryError(.unusable, "nothing was made: \(server.errorText)")
    }

    @Test func `a server ends at once in the middle of a patch, killed or asked to, and the next one makes it`()
        async throws
    {
        let shop = try await Shop()
        for (number, text) in ["1.0.0", "1.1.0"].enumerated() {
            let site = try Self.large(text, in: shop, seed: UInt64(number + 1))
            _ = try await shop.publisher().publish([site.zip])
            _ = try await shop.registry.change(.offer(version(text), .everyone), of: package(), on: channel())
        }
        let zip = "packages/checkout-1.1.0.zip"

        let first = try ServeProcessTests.start(shop)
        _ = try await first.port()
        let maker = try await Self.maker(of: first)
        let start = ContinuousClock.now
        first.signal(SIGTERM)
        #expect(try await first.end() == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(!Self.isRunning(maker))
        #expect(!first.errorText.contains("maintenance failed"), "\(first.errorText)")
        #expect(try !shop.viewListing.contains(zip))

        let second = try ServeProcessTests.start(shop)
        _ = try await second.port()
        let orphan = try await Self.maker(of: second)
        second.signal(SIGKILL)
        #expect(try await second.end() == -SIGKILL)
        for _ in 0..<500 where Self.isRunning(orphan) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!Self.isRunning(orphan))

        let third = try ServeProcessTests.start(shop)
        let port = try await third.port()
        while try !shop.viewListing.contains(zip) { try await Task.sleep(for: .milliseconds(50)) }
        while try !third.children().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try third.residentByteCount() < 100 << 20)
        let connection = try RawConnection(port: port)
        await connection.send(RunningServer.request("GET", "/" + zip))
        #expect(try await connection.answer().status == 200)
        third.signal(SIGTERM)
        #expect(try await third.end() == 0)
    }

    @Test func `a maker that is killed costs one file, and it is made the next time`() async throws {
        let shop = try await Shop()
        let site = try Self.large("1.0.0", in: shop)
        _ = try await shop.publisher().publish([site.zip])
        let server = try ServeProcessTests.start(shop)
        _ = try await server.port()
        kill(try await Self.maker(of: server), SIGKILL)
        for _ in 0..<500 where !server.errorText.contains("by signal 9") {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(server.errorText.contains("by signal 9"))
        // The next round comes with a change, or after a minute.
        _ = try await shop.registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
        let full = DerivedFile(.full, of: site.digest)
        var isMade = false
        for _ in 0..<6_000 where !isMade {
            isMade = try shop.local.database.read { try DerivedTable(db: $0).size(of: full) } != nil
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(isMade)
    }

    @Test func `a request that never ends, while a patch is made, does not keep a server that is to end`() async throws
    {
        let shop = try await Shop()
        let site = try Self.large("1.0.0", in: shop)
        _ = try await shop.publisher().publish([site.zip])
        let token = try await ServeProcessTests.token(shop)
        let server = try ServeProcessTests.start(shop)
        let connection = try RawConnection(port: try await server.port())
        await connection.send(
            "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: 100000\r\n\r\nabc"
        )
        let maker = try await Self.maker(of: server)
        try await Task.sleep(for: .milliseconds(300))
        let start = ContinuousClock.now
        server.signal(SIGTERM)
        // Though the request is still under way.
        for _ in 0..<300 where Self.isRunning(maker) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!Self.isRunning(maker))
        #expect(try await server.end() == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `a second server on one registry says who has it, and ends`() async throws {
        let shop = try await Shop()
        let first = try ServeProcessTests.start(shop)
        _ = try await first.port()
        let second = try ServeProcessTests.start(shop)
        #expect(try await second.end() == 1)
        #expect(
            second.errorText.contains("\"message\":\"another packtool serve has the registry in "),
            "\(second.errorText)")
        #expect(second.errorText.contains("(process \(first.identifier)): stop that one first"))
        first.signal(SIGKILL)
        _ = try await first.end()
        let third = try ServeProcessTests.start(shop)
        _ = try await third.port()
    }
}
