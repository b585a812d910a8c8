import Foundation
import PackFormat
import Testing

@testable import PackRegistryAPI
@testable import PackRegistryServer

/// `docs/HTTP-API.md` and the server say the same.
struct HTTPDocumentTests {
    static func document() throws -> String {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return try String(contentsOf: folder.appending(path: "docs/HTTP-API.md"), encoding: .utf8)
    }

    @Test func `every route is documented, and every documented one exists`() throws {
        let headings = try Self.document().split(separator: "\n").compactMap { line in
            line.hasPrefix("### `") ? String(line.dropFirst(5).prefix { $0 != "`" && $0 != "?" }) : nil
        }
        let routes = RouteTable.routes.map { "\($0.method) \($0.path)" }
        #expect(
            Set(headings.filter { $0.contains("/v1/") || $0.contains("/health/") || $0.contains("/offline/") })
                == Set(routes))
        #expect(headings.count == Set(headings).count)
    }

    @Test func `every route that is listed is answered`() async throws {
        try await RunningServer.with(FolderHost(["metadata/timestamp.json": [1]])) { (server) async throws in
            for route in RouteTable.routes {
                let path = route.path.replacing("{channel}", with: "beta").replacing("{package}", with: "checkout")
                    .replacing("{version}", with: "1.0.0").replacing("{role}", with: "root").replacing(
                        "{id}", with: "x")
                let answer = try await server.ask(route.method, path, body: route.method == "GET" ? nil : [])
                #expect(![404, 405].contains(answer.status), "\(route.method) \(path)")
            }
        }
    }

    @Test func `every kind of problem is documented`() throws {
        let document = try Self.document()
        let kinds: [RegistryError.Kind] = [
            .invalid, .unauthorized, .forbidden, .notFound, .conflict, .tooLarge, .busy, .full, .unusable,
        ]
        let others = ["timeout", "methodNotAllowed", "preconditionFailed", "rangeNotSatisfiable", "internal"]
        for kind in kinds.map(\.rawValue) + others { #expect(document.contains("| `\(kind)` |"), "\(kind)") }
    }
}
