import Foundation
import PackFormat
import PackJSON
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// What happens to `packtool serve` from outside.
struct ServeProcessTests {
    static func token(_ shop: Shop) async throws -> String {
        let request = TokenRequest(name: "ci", scope: TokenScope(actions: [.admin]), expires: nil)
        return try await shop.registry.createToken(request).secret
    }

    static func start(_ shop: Shop, port: Int = 0, _ flag: String = "--json-logs") throws -> ServeProcess {
        try ServeProcess("--port", "\(port)", "--registry", shop.project.registry.path, flag)
    }

    @Test func `SIGTERM finishes the request under way, takes no other, and ends with 0`() async throws {
        let shop = try await Shop()
        let token = try await Self.token(shop)
        let server = try Self.start(shop)
        let port = try await server.port()
        let zip = try [UInt8](Data(contentsOf: shop.page("1.0.0").zip))
        let connection = try RawConnection(port: port, timeout: 30)
        await connection.send(
            "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Length: \(zip.count)\r\n\r\n")
        await connection.send(Array(zip.prefix(100)))
        while try Self.uploads(shop).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        server.signal(SIGTERM)
        while (try? RawConnection(port: port)) != nil { try await Task.sleep(for: .milliseconds(20)) }
        await connection.send(Array(zip.dropFirst(100)))
        #expect(try await connection.answer().status == 201)
        #expect(try await server.end() == 0)
        let line = try #require(server.errorText.split(separator: "\n").first { $0.contains("/v1/uploads") })
        #expect(line.hasPrefix("{") && line.contains("\"status\":201") && line.contains("\"method\":\"POST\""))
        #expect(line.firstMatch(of: /,"ms":[0-9]+\.[0-9]{1,3}\}$/) != nil, "\(line)")
        #expect(!server.errorText.contains(token))
    }

    @Test func `the log says whose token a request has, and why it was refused`() async throws {
        let shop = try await Shop()
        let scope = TokenScope(actions: [.observe])
        let token = try await shop.registry.createToken(TokenRequest(name: "dash", scope: scope, expires: nil))
        let server = try Self.start(shop)
        let base = "http://127.0.0.1:\(try await server.port())"
        let remote = try RemoteRegistry(base, token: token.secret)
        _ = try await remote.overview()
        let refused = await #expect(throws: RegistryError.self) { try await remote.tokens() }
        let stranger = try RemoteRegistry(base, token: "ptk_nobody")
        let unknown = await #expect(throws: RegistryError.self) { try await stranger.overview() }
        server.signal(SIGTERM)
        #expect(try await server.end() == 0)
        var lines: [Int: JSONObject] = [:]
        for line in server.errorText.split(separator: "\n") where line.contains("/v1/") {
            // `ms` has decimals, which our documents never have.
            let plain = line.replacing(/,"ms":[0-9.]+/, with: "")
            let object = try JSONValue(parsing: Array(plain.utf8)).object()
            lines[try object.integer("status")] = object
        }
        let name = "dash (\(token.record.id))"
        #expect(try lines[200]?.string("token") == name && lines[200]?["reason"] == nil, "\(lines)")
        #expect(try lines[403]?.string("token") == name && lines[403]?.string("reason") == refused?.message, "\(lines)")
        #expect(try lines[401]?["token"] == nil && lines[401]?.string("reason") == unknown?.message, "\(lines)")
        #expect(!server.errorText.contains(token.secret) && !server.errorText.contains("ptk_nobody"))
    }

    @Test func `a server that is killed during an upload leaves a registry that works`() async throws {
        let shop = try await Shop()
        let token = try await Self.token(shop)
        let before = try shop.viewListing
        let killed = try Self.start(shop)
        let site = try shop.page("1.0.0")
        let connection = try RawConnection(port: try await killed.port())
        await connection.send(
            "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: 100000\r\n\r\n")
        await connection.send(Array(try Data(contentsOf: site.zip)))
        while try Self.uploads(shop).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        killed.signal(SIGKILL)
        #expect(try await killed.end() == -SIGKILL)
        #expect(try !Self.uploads(shop).isEmpty)

        let restarted = try Self.start(shop)
        let remote = try RemoteRegistry("http://127.0.0.1:\(try await restarted.port())", token: token)
        #expect(try Self.uploads(shop).isEmpty)
        #expect(try shop.viewListing == before)
        #expect(try await shop.publisher(over: remote).publish([site.zip]).map(\.outcome) == [.published])
    }

    @Test func `a port that is in use, a port that is none and a folder without a registry end with an error`()
        async throws
    {
        let shop = try await Shop()
        let first = try Self.start(shop)
        let port = try await first.port()
        // On a registry of its own: a second server on one registry is refused before.
        let other = try await Shop()
        let second = try Self.start(other, port: port)
        #expect(try await second.end() == 1)
        let said = try JSONValue(parsing: Array(second.errorText.utf8)).object()
        #expect(try said.string("level") == "critical")
        #expect(try said.string("message").hasPrefix("the address 127.0.0.1:\(port) is in use"))
        let none = try ServeProcess("--registry", shop.folder.url.appending(path: "none").path)
        #expect(try await none.end() == 1)
        #expect(none.errorText.contains("there is no registry"))
        let wrong = try Self.start(shop, port: 70_000)
        #expect(try await wrong.end() == 64)
    }

    private static func uploads(_ shop: Shop) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: shop.local.uploadFolder.path).filter {
            $0.hasPrefix("http-upload-")
        }
    }
}
