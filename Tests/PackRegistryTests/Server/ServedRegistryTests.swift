import Foundation
import PackFormat
import PackTrust
import Synchronization
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// A real registry behind a real socket, spoken to by the client that packtool uses.
struct ServedRegistryTests {
    /// A client with a token of the given right.
    static func client(
        _ shop: Shop, _ server: RunningServer, _ actions: Set<TokenAction> = [.admin],
        packages: Set<PackageID>? = nil, channels: Set<ChannelName>? = nil, expires: Date? = nil
    ) async throws -> RemoteRegistry {
        let token = try await shop.registry.createToken(
            TokenRequest(
                name: "ci", scope: TokenScope(actions: actions, packages: packages, channels: channels),
                expires: expires))
        return try RemoteRegistry(server.url + "/", token: token.secret)
    }

    static func with(_ body: @escaping @Sendable (Shop, RunningServer) async throws -> Void) async throws {
        let shop = try await Shop()
        try await RunningServer.with(shop.local) { (server) async throws in try await body(shop, server) }
    }

    @Test func `a version is published, released and read over HTTP`() async throws {
        try await Self.with { (shop, server) async throws in
            let remote = try await Self.client(shop, server)
            let site = try shop.page("1.0.0")
            let published = try await shop.publisher(over: remote).publish([site.zip])
            #expect(published.map(\.outcome) == [.published])
            let outcome = try await remote.change(
                .offer(version("1.0.0"), .everyone), of: package(), on: channel())
            #expect(outcome.isChanged)
            #expect(try await shop.releases() == ["1.0.0@100"])
            let (there, here) = try await (remote.overview(), shop.registry.overview())
            #expect(there.app == here.app && there.channels == here.channels)
            let (first, same) = try (there.versions[package()]?.first, here.versions[package()]?.first)
            #expect(first?.manifest == same?.manifest && first?.size == same?.size)
            #expect(first?.publishedBy.hasPrefix("ci (") == true)
            // Times travel in milliseconds.
            #expect(abs(first?.published.timeIntervalSince(same?.published ?? .distantPast) ?? 1) < 0.002)

            let page = try await server.ask("GET", "/site/checkout/1.0.0/")
            #expect(page.text.hasPrefix("<h1>checkout 1.0.0</h1>"))
            try await shop.local.maintain()
            let copy = shop.folder.url.appending(path: "copy.zip")
            #expect(try await remote.copyViewFile(.archive(package(), version("1.0.0")), to: copy))
            #expect(try Data(contentsOf: copy) == Data(contentsOf: site.zip))
            let update = try await server.ask("GET", "/v1/update?channel=beta&package=checkout&device=d")
            #expect(update.text.contains("\"action\":\"update\""))
            #expect(update.text.contains("\"sha256\":\"\(Digest(of: try Data(contentsOf: site.zip)))\""))
        }
    }

    @Test func `a release is seen by the update decision and by sites as soon as it is there`() async throws {
        try await Self.with { (shop, server) async throws in
            let remote = try await Self.client(shop, server)
            for text in ["1.0.0", "1.1.0"] {
                #expect(try await server.ask("GET", "/site/checkout/\(text)/").status == 404)
                _ = try await shop.publisher(over: remote).publish([shop.page(text).zip])
                #expect(try await server.ask("GET", "/site/checkout/\(text)/").status == 200)
                _ = try await remote.change(.offer(version(text), .everyone), of: package(), on: channel())
                let update = try await server.ask("GET", "/v1/update?channel=beta&package=checkout&device=d")
                #expect(update.text.contains("\"version\":\"\(text)\""))
            }
        }
    }

    @Test func `publishing again is a no-op, other content a conflict, and a second version sends what is new`()
        async throws
    {
        try await Self.with { (shop, server) async throws in
            let remote = try await Self.client(shop, server)
            let publisher = try shop.publisher(over: remote)
            let first = try shop.page("1.0.0")
            _ = try await publisher.publish([first.zip])
            #expect(try await publisher.publish([first.zip]).map(\.outcome) == [.unchanged])
            let other = try Site("checkout", "1.0.0", ["index.html": "other"], in: shop.folder)
            let error = await #expect(throws: RegistryError.self) { try await publisher.publish([other.zip]) }
            #expect(error?.kind == .conflict)
            let second = try shop.page("1.1.0")
            let missing = try await remote.missingObjects(of: second.manifest.bytes)
            #expect(missing.count == 1 && second.manifest.ownObjects.count == 2)
        }
    }

    @Test func `a token reaches as far as its scope and no further`() async throws {
        try await Self.with { (shop, server) async throws in
            let site = try shop.page("1.0.0")
            let narrow = try await Self.client(shop, server, [.publish], packages: [package("other")])
            let releasing = try await Self.client(shop, server, [.release], channels: [channel("beta")])
            let expired = try await Self.client(
                shop, server, [.admin], expires: shop.clock.now.addingTimeInterval(60))
            shop.clock.advance(days: 1)
            let attempts: [(RegistryError.Kind, @Sendable () async throws -> Void)] = [
                (.forbidden, { _ = try await narrow.upload(archive: site.zip) }),
                (.forbidden, { _ = try await narrow.change(.retry(), of: package(), on: channel()) }),
                (.forbidden, { _ = try await releasing.change(.retry(), of: package(), on: channel("stable")) }),
                (.forbidden, { _ = try await releasing.upload(archive: site.zip) }),
                (.forbidden, { _ = try await releasing.tokens() }),
                (.unauthorized, { _ = try await expired.tokens() }),
                (.unauthorized, { _ = try await RemoteRegistry(server.url, token: "ptk_wrong").tokens() }),
                (.unauthorized, { _ = try await RemoteRegistry(server.url, token: nil).tokens() }),
            ]
            for (kind, attempt) in attempts {
                let error = await #expect(throws: RegistryError.self) { try await attempt() }
                #expect(error?.kind == kind)
            }
            #expect(try await shop.registry.overview().versions.isEmpty)
            #expect(try await RemoteRegistry(server.url, token: nil).overview().app == "shop")
        }
    }

    @Test func `tokens are made, listed and revoked, and the log says by whom`() async throws {
        try await Self.with { (shop, server) async throws in
            let remote = try await Self.client(shop, server)
            let scope = TokenScope(actions: [.publish, .release], packages: [try package()], channels: [try channel()])
            let wanted = TokenRequest(name: "robot", scope: scope, expires: Date().addingTimeInterval(3600))
            let created = try await remote.createToken(wanted)
            #expect(created.record.scope == scope && created.secret.hasPrefix("ptk_"))
            let robot = try RemoteRegistry(server.url, token: created.secret)
            // A package's first version also delegates its role, which is the owner's right.
            _ = try await shop.publisher(over: remote).publish([shop.page("1.0.0").zip])
            _ = try await shop.publisher(over: robot).publish([shop.page("1.1.0").zip])
            #expect(try await remote.tokens().map(\.name).sorted() == ["ci", "robot"])
            #expect(try await remote.revokeToken(id: created.record.id))
            #expect(try await !remote.revokeToken(id: "none"))
            let error = await #expect(throws: RegistryError.self) {
                try await robot.missingObjects(of: shop.page("2.0.0").manifest.bytes)
            }
            #expect(error?.kind == .unauthorized)
            let log = try await remote.auditLog(limit: 100)
            #expect(log.contains { $0.actor.hasPrefix("robot (") && $0.action.contains("publish") })
            #expect(log.contains { $0.actor.hasPrefix("ci (") && $0.action.contains("token") })
            #expect(!log.contains { $0.detail.contains(created.secret) })
        }
    }

    @Test func `two publishers at once both succeed, and nothing of either is lost`() async throws {
        try await Self.with { (shop, server) async throws in
            let remote = try await Self.client(shop, server)
            let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]
            try await withThrowingTaskGroup { group in
                for text in versions {
                    let zip = try shop.page(text).zip
                    group.addTask { _ = try await shop.publisher(over: remote).publish([zip]) }
                }
                try await group.waitForAll()
            }
            let listed = try await remote.overview().versions[package()]?.map(\.version.description).sorted()
            #expect(listed == versions)
            let device = try shop.device()
            for text in versions {
                #expect(try await device.target("manifests/checkout/\(text).json", maximumByteCount: 1 << 20).count > 0)
            }
        }
    }

    @Test func `a registry that cannot be reached, or is none, says what to do`() async throws {
        let nobody = try RemoteRegistry("http://127.0.0.1:1", token: nil)
        let unreachable = await #expect(throws: RegistryError.self) { try await nobody.overview() }
        #expect(unreachable?.kind == .unreachable)
        #expect(unreachable?.message.contains("packtool serve") == true)
        for text in ["ftp://x", "http://", "x", "http://x/?a", "http://u@x/"] {
            #expect(throws: RegistryError.self) { try RemoteRegistry(text, token: nil) }
        }
        #expect(throws: RegistryError.self) { try RemoteRegistry("http://x", token: "ptk_a\r\nX: y") }
        for (code, isRead, part) in [
            (URLError.Code.networkConnectionLost, true, "was lost ("),
            (.timedOut, false, "in time, so it may have done"),
            (.unknown, false, "so it may have done"), (.cannotFindHost, false, "check the address"),
        ] {
            let text = RemoteRegistry.explanation(of: URLError(code), from: "http://x", isRead: isRead)
            #expect(text.contains(part) && text.contains("may have done") == part.contains("may have done"), "\(text)")
        }
        try await Self.with { (_, server) async throws in
            let misplaced = try RemoteRegistry(server.url + "/health", token: nil)
            let error = await #expect(throws: RegistryError.self) { try await misplaced.overview() }
            #expect(error?.kind == .notFound)
        }
    }

    @Test func `a file of the view is read whole, within its bound, or not at all`() async throws {
        try await Self.with { (shop, server) async throws in
            let remote = try RemoteRegistry(server.url, token: nil)
            let path = ViewPath.timestamp
            let bytes = try Array(Data(contentsOf: shop.local.viewFolder.appending(path: path.description)))
            #expect(try await remote.viewFile(path, maximumByteCount: 100_000) == bytes)
            let error = await #expect(throws: RegistryError.self) {
                try await remote.viewFile(path, maximumByteCount: bytes.count - 1)
            }
            #expect(error?.kind == .tooLarge)
            #expect(try await remote.viewFile(.metadata(.root, version: 99), maximumByteCount: 10) == nil)
            let copy = shop.folder.url.appending(path: "copy")
            #expect(try await !remote.copyViewFile(.archive(package("none"), version("1.0.0")), to: copy))
            #expect(!FileManager.default.fileExists(atPath: copy.path))
            #expect(ViewPath("../registry.sqlite") == nil)
        }
    }
}
