import Crypto
import Foundation
import PackFormat
import PackJSON
import Synchronization
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// The protocol of Cordova Hot Code Push over a real server and real sockets.
@Suite("ChcpTests") struct ChcpTests {
    static let base = "/adapters/chcp/checkout/beta/www/"

    static func configuration(_ server: RunningServer, _ base: String = Self.base) async throws -> JSONObject {
        try await JSONValue(parsing: server.ask("GET", base + "chcp.json").body).object()
    }

    private static func local(_ url: String) throws -> String {
        #expect(url.hasPrefix("http://localhost/"))
        return String(url.dropFirst("http://localhost".count))
    }

    private static func list(_ files: [String: String]) -> String {
        let entries = files.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { path, content in
            let hash = Insecure.MD5.hash(data: Data(content.utf8)).map { String(format: "%02x", $0) }.joined()
            return #"{"file":"\#(path)","hash":"\#(hash)"}"#
        }
        return "[" + entries.joined(separator: ",") + "]"
    }

    @Test func `a device finds what the channel offers, its list, and each file beside the list`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.chcp) { (server) async throws in
            let base = "/adapters/chcp/till/beta/www/"
            let answer = try await server.ask("GET", base + "chcp.json")
            let configuration = try JSONValue(parsing: answer.body).object()
            let content = try configuration.string("content_url")
            #expect(content == "http://localhost/adapters/chcp/till/1.0.0/files")
            #expect(try configuration.string("release").hasPrefix("1.0.0-"))
            #expect(try configuration.integer("min_native_interface") == 0)
            #expect(configuration["update"] == nil)
            #expect(answer["cache-control"] == "no-cache")
            let tag = try #require(answer["etag"])
            #expect(try await server.ask("GET", base + "chcp.json", ["If-None-Match": tag]).status == 304)
            var published = AdaptedShop.tillFiles
            published["static/vendor.js"] = AdaptedShop.vendor
            let own = try Self.local(content) + "/"
            for (folder, policy) in [(own, CacheControl.immutable), (base, CacheControl.pointer)] {
                let list = try await server.ask("GET", folder + "chcp.manifest")
                #expect((list.status, list.text) == (200, Self.list(published)))
                #expect(list["cache-control"] == policy)
                for (path, content) in published {
                    let url = path.replacing(" ", with: "%20").replacing("é", with: "%C3%A9")
                    let file = try await server.ask("GET", folder + url)
                    #expect((file.status, file.text) == (200, content))
                }
            }
        }
    }

    @Test func `each offer has another release, also a rollback`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.chcp) { (server) async throws in
            let new = try await Self.configuration(server)
            #expect(try new.string("content_url").hasSuffix("/checkout/1.1.0/files"))
            try await adapted.change(.rollBack(to: nil))
            let old = try await Self.configuration(server)
            #expect(try old.string("content_url").hasSuffix("/checkout/1.0.0/files"))
            #expect(try old.string("release") != new.string("release"))
            // What a device began to fetch stays there.
            #expect(try await server.ask("GET", Self.local(new.string("content_url")) + "/app.js").status == 200)
            try await adapted.change(.rollBackToEmbedded)
            #expect(try await server.ask("GET", Self.base + "chcp.json").status == 404)
        }
    }

    @Test func `only what all devices may have is offered, and an app's version is its number`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.offer("1.2.0", 50)
        try await adapted.serving(.chcp) { (server) async throws in
            #expect(try await Self.configuration(server).string("content_url").hasSuffix("/1.1.0/files"))
            try await adapted.change(.offer(version("2.0.0"), .everyone))
            let five = try await Self.configuration(server)
            #expect(try five.string("content_url").hasSuffix("/2.0.0/files"))
            #expect(try five.integer("min_native_interface") == 5)
        }
    }

    @Test(arguments: [(">=3.0.0", 3), (">=3.1.0", nil), (">=3.0.0 <5.0.0", nil), (">3.0.0", nil), ("=3.0.0", nil)])
    func `a range of app versions is a number only where that says the same`(range: String, number: Int?) throws {
        #expect(try ChcpOffers.nativeInterface(VersionRange(range)) == number)
    }

    @Test(arguments: [
        (ClientPolicy.Install.now, "now"), (.nextPage, "resume"), (.nextStart, "start"),
    ])
    func `a release says when it is installed`(install: ClientPolicy.Install, word: String) async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.publish("1.3.0", ["index.html": "<p>"], policy: ClientPolicy(install: install))
        try await adapted.serving(.chcp) { (server) async throws in
            #expect(try await Self.configuration(server).string("update") == word)
        }
    }

    @Test func `files of the protocol's own tools in a package are not listed`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.publish(
            "1.3.0", ["index.html": "<p>", "chcp.json": "{}", "chcp.manifest": "[]", "a/chcp.json": "{}"])
        try await adapted.serving(.chcp) { (server) async throws in
            let list = try await server.ask("GET", Self.base + "chcp.manifest")
            #expect(list.text == Self.list(["index.html": "<p>", "a/chcp.json": "{}"]))
            #expect(try await server.ask("GET", "/adapters/chcp/checkout/1.3.0/files/chcp.json").status == 404)
        }
    }

    // MARK: Refusals

    private static let prefix = "the channel beta offers no version of checkout that these clients can take: "

    private static func refusal(_ server: RunningServer, _ place: String = "checkout/beta") async throws -> String {
        let answer = try await server.ask("GET", "/adapters/chcp/\(place)/www/chcp.json")
        #expect((answer.status, answer["content-type"]) == (404, "text/plain; charset=utf-8"), "\(answer)")
        return answer.text
    }

    @Test func `a package with a path that a client would not fetch is not offered, and the answer names the path`()
        async throws
    {
        let adapted = try await AdaptedShop.make()
        try await adapted.publish("1.3.0", ["index.html": "<p>", "z#.js": "z()", "a?b.js": "x()"])
        try await adapted.serving(.chcp) { (server) async throws in
            #expect(
                try await Self.refusal(server)
                    == Self.prefix + #"checkout 1.3.0 has the file "a?b.js", whose path they would cut at # or ?"#)
        }
    }

    @Test func `what is not there, not offered, switched off, or the app's own, is said in its own words`() async throws
    {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.chcp) { (server) async throws in
            #expect(try await Self.refusal(server, "none/beta") == "there is no package none here")
            #expect(
                try await Self.refusal(server, "checkout/none") == "the channel none offers no version of checkout")
            #expect(try await Self.refusal(server, "common/beta") == "the channel beta offers no version of common")
            _ = try await adapted.shop.registry.change(.gate(package(), isOn: false), on: channel())
            #expect(try await Self.refusal(server) == "the channel beta has checkout switched off")
            _ = try await adapted.shop.registry.change(.gate(package(), isOn: true), on: channel())
            try await adapted.change(.rollBackToEmbedded)
            #expect(try await Self.refusal(server) == Self.prefix + "it goes back to what the app brought")
        }
    }

    @Test func `a release that is not for these clients says why`() async throws {
        let host = try FolderHost()
        var adapters = try AdapterSettings(channel: channel())
        adapters.kinds = [.chcp]
        let offer = try Release.Offer.version(version("1.1.0"), manifest: Digest(of: [1]))
        let page = Manifest.File(digest: Digest(of: [2]), size: 1)
        let manifest = try Manifest(
            package: package(), version: version("1.1.0"), entry: PackagePath("index.html"),
            files: [PackagePath("index.html"): page])
        try await RunningServer.with(host, adapters: adapters) { (server) async throws in
            func refusal(_ release: Release) async throws -> String {
                host.releases.withLock { $0["checkout@beta"] = [release] }
                return try await Self.refusal(server)
            }
            #expect(
                try await refusal(Release(id: "r1", offer: offer))
                    == Self.prefix + "the publisher of checkout 1.1.0 withdrew it")
            try host.publish(manifest, [])
            let silent = ", and they do not say what device they are on"
            #expect(
                try await refusal(Release(id: "r2", offer: offer, rollout: Rollout(percent: 50)))
                    == Self.prefix + "checkout 1.1.0 is for 50 % of the devices" + silent)
            let testers = try Rollout(audiences: [Audience("group=testers")])
            let five = try VersionRange(">=5.0.0")
            #expect(
                try await refusal(Release(id: "r3", offer: offer, rollout: testers, requiredApp: five))
                    == Self.prefix + "checkout 1.1.0 is for \(testers.devicesText)" + silent)
            #expect(
                try await refusal(Release(id: "r4", offer: offer, requiredApp: VersionRange(">=3.1.0")))
                    == Self.prefix
                    + "checkout 1.1.0 requires app >=3.1.0, and they understand only ranges such as >=3.0.0")
            // With the app that it requires it is still not for them.
            let bare = try Manifest(
                package: package(), version: version("1.1.0"), entry: PackagePath("index.html"),
                files: [PackagePath("index.html"): page, PackagePath("a#b.js"): page])
            try host.publish(bare, [])
            #expect(
                try await refusal(Release(id: "r5", offer: offer, requiredApp: five)).contains(
                    #"has the file "a#b.js""#))
        }
    }

    // MARK: Hostile requests

    @Test func `what is not there gets a text, and only lists of what is offered are made`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.chcp) { (server) async throws in
            for path in [
                "", "checkout", "checkout/beta", "checkout/beta/www", "checkout/beta/www/", "checkout/beta/other/a",
                "checkout/none/www/chcp.json", "none/beta/www/chcp.json", "CHECKOUT/beta/www/chcp.json",
                "common/beta/www/chcp.json", "common/1.0.0/files/vendor.js", "checkout/9.9.9/files/chcp.manifest",
                // Published, and offered to nobody.
                "checkout/1.2.0/files/chcp.manifest", "checkout/1.1.0/files/none.js", "checkout/1.1.0/files/",
                "checkout/1.1.0/files/..%2f..%2fx", "checkout/1.1.0/files/%00", "checkout/x/files/app.js",
                "checkout/beta/www/\(String(repeating: "x", count: 300))",
            ] {
                let answer = try await server.ask("GET", "/adapters/chcp/\(path)")
                #expect([400, 404].contains(answer.status), "\(path): \(answer)")
                #expect((try? JSONValue(parsing: answer.body).array()) == nil)
            }
            #expect(try await server.ask("POST", Self.base + "chcp.json", body: []).status == 405)
            let head = try await server.ask("HEAD", Self.base + "chcp.manifest")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(try await Self.configuration(server).string("release").hasPrefix("1.1.0-"))
        }
    }
}
