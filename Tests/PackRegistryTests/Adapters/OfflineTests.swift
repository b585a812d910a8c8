import Foundation
import PackFormat
import PackJSON
import Synchronization
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// The list that older plugins read, over a real server and real sockets.
@Suite("OfflineTests") struct OfflineTests {
    static let path = "/offline/manifest.json"

    /// The versions of a list, by package.
    static func versions(_ answer: RawAnswer) throws -> [String: String] {
        let packages = try JSONValue(parsing: answer.body).object().array("business").map { try $0.object() }
        return try Dictionary(
            uniqueKeysWithValues: packages.map { try ($0.string("package"), $0.string("version")) })
    }

    @Test func `an older client is told the files of every package`() async throws {
        let host = try FolderHost(["metadata/timestamp.json": [1]])
        let page = Array("<title>x</title>".utf8)
        let vendor = Array("vendor".utf8)
        let manifest = try Manifest(
            package: PackageID("checkout"), version: SemanticVersion("1.1.0"), entry: PackagePath("index.html"),
            files: [
                PackagePath("index.html"): Manifest.File(digest: Digest(of: page), size: page.count),
                PackagePath("lib/vendor é.js"): Manifest.File(
                    digest: Digest(of: vendor), size: vendor.count, from: PackageID("web-common")),
            ],
            shared: [
                PackageID("web-common"): VersionID(
                    version: SemanticVersion("1.0.0"), manifest: Digest(of: [2]))
            ])
        try host.publish(manifest, [page, vendor])
        let version = try Release.Offer.version(SemanticVersion("1.1.0"), manifest: Digest(of: [1]))
        try host.releases.withLock {
            $0["checkout@stable"] = [
                try Release(id: "r2", offer: .embedded, rollout: Rollout(percent: 50)),
                try Release(id: "r1", offer: version),
            ]
        }
        var adapters = try AdapterSettings(channel: channel("stable"))
        adapters.kinds = [.offline]
        try await RunningServer.with(host, adapters: adapters) { (server) async throws in
            let answer = try await server.ask("GET", Self.path)
            #expect((answer.status, answer["cache-control"]) == (200, "no-cache"))
            let document = try JSONValue(parsing: answer.body).object()
            let shared = try document.array("common").map { try $0.object() }
            let sharedURL = try #require(shared.first).string("url")
            #expect(shared.count == 1 && sharedURL.hasPrefix("http://"))
            #expect(sharedURL.hasSuffix("/site/checkout/1.1.0/lib/vendor%20%C3%A9.js"))
            let business = try #require(try document.array("business").first).object()
            #expect(try business.string("version") == "1.1.0")
            let asset = try #require(try business.array("assets").first).object()
            #expect(try asset.string("url").hasSuffix("/site/checkout/1.1.0/index.html"))
            #expect(try asset.string("version") == String(Digest(of: page).hex.prefix(16)))
            let again = try await server.ask("GET", Self.path, ["If-None-Match": answer["etag"] ?? ""])
            #expect(again.status == 304)
            let none = try await server.ask("GET", Self.path + "?channel=none")
            #expect(none.text == "{\"business\":[],\"common\":[]}")
        }
    }

    @Test func `the list has what /v1/update says of each package, and what everybody gets without a device`()
        async throws
    {
        let adapted = try await AdaptedShop.make()
        try await adapted.offer("1.2.0", 50)
        try await adapted.change(.offer(version("2.0.0"), Rollout(audiences: [Audience("platform=ios; app>=5")])))
        try await adapted.serving(.offline) { (server) async throws in
            var seen: Set<String> = []
            for number in 0..<48 {
                let device = "device=d\(number)&platform=\(number % 3 == 0 ? "ios" : "android")&app=5.0.0"
                let own = try await server.ask("GET", "/v1/update?channel=beta&package=checkout&\(device)")
                let version = try JSONValue(parsing: own.body).object().string("version")
                seen.insert(version)
                let list = try await Self.versions(server.ask("GET", "\(Self.path)?channel=beta&\(device)"))
                #expect(list == ["checkout": version, "till": "1.0.0"], "\(number)")
            }
            #expect(seen == ["1.1.0", "1.2.0", "2.0.0"])
            for (query, version) in [("", "1.1.0"), ("&app=5.0.0&platform=ios", "2.0.0"), ("&platform=ios", "1.1.0")] {
                let list = try await Self.versions(server.ask("GET", "\(Self.path)?channel=beta\(query)"))
                #expect(list == ["checkout": version, "till": "1.0.0"], "\(query)")
            }
        }
    }

    @Test func `what is switched off or goes back to what the app brought is not listed`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.offline) { (server) async throws in
            // The adapter's own path is the same, and its channel is the server's.
            for path in [Self.path, "/adapters/offline/manifest.json"] {
                #expect(try await Self.versions(server.ask("GET", path)) == ["checkout": "1.1.0", "till": "1.0.0"])
            }
            _ = try await adapted.shop.registry.change(.gate(package("till"), isOn: false), on: channel())
            #expect(try await Self.versions(server.ask("GET", Self.path)) == ["checkout": "1.1.0"])
            try await adapted.change(.rollBackToEmbedded)
            let none = try await server.ask("GET", Self.path)
            #expect((none.status, none.text) == (200, #"{"business":[],"common":[]}"#))
        }
    }

    @Test func `a list has the addresses of the host that it was asked at, each time`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.offline) { (server) async throws in
            for host in ["a.example", "b.example", "a.example"] {
                let connection = try server.connection()
                await connection.send("GET \(Self.path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                let text = try await connection.answer().text
                #expect(text.contains(#""source":"http://\#(host)/site/checkout/1.1.0/app.js""#), "\(text.prefix(300))")
            }
        }
    }

    @Test func `nobody answers while the adapter is off`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capgo) { (server) async throws in
            for path in [Self.path, "/adapters/offline/manifest.json"] {
                #expect(try await server.ask("GET", path).status == 404)
            }
        }
        try await RunningServer.with(adapted.shop.local) { (server) async throws in
            #expect(try await server.ask("GET", Self.path).status == 404)
        }
    }

    // MARK: Hostile requests

    @Test func `what is malformed gets a problem and never a list`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.offline) { (server) async throws in
            for (target, status) in [
                (Self.path + "?channel=", 400), (Self.path + "?channel=..%2Fx", 400), (Self.path + "?app=x", 400),
                (Self.path + "?tag=x", 400), (Self.path + "?network=x", 400), ("/offline", 404), ("/offline/", 404),
                ("/offline/manifest.json/", 404), ("/offline/%00", 400), ("/offline//manifest.json", 400),
                ("/adapters/offline/other", 404),
            ] {
                let answer = try await server.ask("GET", target)
                #expect((answer.status, answer["content-type"]) == (status, "application/problem+json"), "\(target)")
                #expect(try JSONValue(parsing: answer.body).object()["business"] == nil)
            }
            #expect(try await server.ask("POST", Self.path, body: []).status == 405)
            let head = try await server.ask("HEAD", Self.path)
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(try await Self.versions(server.ask("GET", Self.path + "?channel=none")).isEmpty)
        }
    }
}
