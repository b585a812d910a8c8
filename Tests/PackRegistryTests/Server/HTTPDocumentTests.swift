import Foundation
import PackFormat
import Synchronization
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryServer

/// `docs/HTTP-API.md` and the server say the same.
struct HTTPDocumentTests {
    private static func folder() throws -> URL {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appending(path: "docs", directoryHint: .isDirectory)
    }

    static func document() throws -> String {
        try String(contentsOf: folder().appending(path: "HTTP-API.md"), encoding: .utf8)
    }

    @Test func `every route is documented, and every documented one exists`() throws {
        let headings = try Self.document().split(separator: "\n").compactMap { line in
            line.hasPrefix("### `") ? String(line.dropFirst(5).prefix { $0 != "`" && $0 != "?" }) : nil
        }
        let routes = Endpoints.routes.map(\.text)
        #expect(
            Set(
                headings.filter {
                    $0.contains("/v1/") || $0.contains("/health/") || $0.contains("/metrics")
                })
                == Set(routes))
        #expect(headings.count == Set(headings).count)
    }

    /// docs/HTTP-REFERENCE.md, as it follows from the declarations.
    private static var reference: String {
        let rows = Endpoints.routes.map { route in
            let right = [route.right, route.otherRight].compactMap(\.self).map { "`\($0.rawValue)`" }.joined(
                separator: " or ")
            return "| `\(route.text)` | \(right) | \(route.isRepeatable ? "yes" : "") | \(route.summary) |"
        }
        return """
            # Every endpoint

            The tests write this page from `Endpoints` in `Sources/PackRegistryAPI/Endpoints`; do not edit it. To
            write it anew, run `UPDATE_REFERENCE=1 make check FILTER=HTTPDocumentTests`. [HTTP-API.md](HTTP-API.md)
            has bodies, answers and examples. "Right" is the right that the token needs. A repeatable request may
            be sent twice without harm, so packtool repeats it if the registry is busy.

            | endpoint | right | repeatable | what it does |
            | --- | --- | --- | --- |

            """ + rows.joined(separator: "\n") + "\n"
    }

    @Test func `the reference has every endpoint as it is declared`() throws {
        let file = try Self.folder().appending(path: "HTTP-REFERENCE.md")
        if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] != nil {
            try Self.reference.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == Self.reference)
    }

    @Test func `a server tells those who may know how long its signatures hold`() async throws {
        let shop = try await Shop()
        let token = try await shop.registry.createToken(
            TokenRequest(name: "monitor", scope: TokenScope(actions: [.admin]), expires: nil))
        let narrow = try await shop.registry.createToken(
            TokenRequest(name: "ci", scope: TokenScope(actions: [.publish]), expires: nil))
        try await RunningServer.with(shop.local) { (server) async throws in
            let details = try await RemoteRegistry(server.url, token: token.secret).call(Endpoints.healthDetails, ())
            #expect(details.app == "shop" && details.version == ProductVersion.text)
            #expect(Set(details.signatures.keys) == ["targets", "channels", "snapshot", "timestamp"])
            let days = details.signatures.mapValues { Int($0.expires.timeIntervalSince(shop.clock.now) / 86_400) }
            #expect(days["timestamp"] == 6 && days["channels"] == 29 && days["snapshot"] == 29, "\(days)")
            for secret in [narrow.secret, nil] {
                await #expect(throws: RegistryError.self) {
                    try await RemoteRegistry(server.url, token: secret).call(Endpoints.healthDetails, ())
                }
            }
        }
    }

    @Test func `every route that is listed is answered`() async throws {
        let host = try FolderHost(["metadata/timestamp.json": [1]])
        host.releases.withLock { $0["checkout@beta"] = [] }
        try await RunningServer.with(host) { (server) async throws in
            for route in Endpoints.routes {
                let path = route.path.replacing("{channel}", with: "beta").replacing("{package}", with: "checkout")
                    .replacing("{version}", with: "1.0.0").replacing("{role}", with: "root").replacing(
                        "{id}", with: "x")
                let answer = try await server.ask(
                    route.method.rawValue, path, body: route.method == .get ? nil : [])
                #expect(![404, 405].contains(answer.status), "\(route.text) \(path)")
            }
        }
    }

    @Test func `every kind of problem is documented`() throws {
        let document = try Self.document()
        let kinds: [RegistryError.Kind] = [
            .invalid, .unauthorized, .forbidden, .notFound, .conflict, .needsApproval, .tooLarge, .busy, .full,
            .unusable, .unreachable,
        ]
        let others = ["timeout", "methodNotAllowed", "preconditionFailed", "rangeNotSatisfiable", "internal"]
        for kind in kinds.map(\.rawValue) + others { #expect(document.contains("| `\(kind)` |"), "\(kind)") }
    }
}
