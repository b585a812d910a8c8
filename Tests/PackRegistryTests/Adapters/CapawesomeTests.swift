import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// The protocol of Capawesome's clients over a real server and real sockets.
@Suite("CapawesomeTests") struct CapawesomeTests {
    private static let listPath = "capawesome-live-update-manifest.json"

    /// What a client asks on Android.
    static func path(
        _ package: String = "checkout", device: String? = "d1", running: String = "", app: String = "3.2.0",
        plugin: String = "8.4.1", also more: String = "", below prefix: String = "/v1/apps"
    ) -> String {
        "\(prefix)/\(package)/bundles/latest?appVersionCode=17&appVersionName=\(app)&bundleId\(running)&customId"
            + "&deviceId=\(device ?? "")&osVersion=34&platform=0&pluginVersion=\(plugin)\(more)"
    }

    static func check(_ server: RunningServer, _ path: String = Self.path()) async throws -> RawAnswer {
        try await server.ask("GET", path, ["X-Capawesome-Device-Id": "d1"])
    }

    static func fields(_ answer: RawAnswer) throws -> JSONObject { try JSONValue(parsing: answer.body).object() }

    private static func local(_ url: String) throws -> String {
        #expect(url.hasPrefix("http://localhost/"))
        return String(url.dropFirst("http://localhost".count))
    }

    // MARK: The latest bundle

    @Test func `a device gets a list, and each file by its path with its checksum`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capawesome) { (server) async throws in
            let answer = try await Self.check(server, Self.path("till"))
            #expect(
                answer.text == #"{"artifactType":"manifest","bundleId":"1.0.0","channelName":"beta","#
                    + #""url":"http://localhost/adapters/capawesome/till/1.0.0/files"}"#)
            #expect((answer.status, answer["cache-control"]) == (200, "no-store"))
            let base = try Self.local(Self.fields(answer).string("url"))
            let list = try await server.ask("GET", "\(base)?href=\(Self.listPath)")
            #expect(list["x-checksum"] == Digest(of: list.body).hex)
            var published = AdaptedShop.tillFiles
            published["static/vendor.js"] = AdaptedShop.vendor
            let entries = published.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { path, content in
                let digest = Digest(of: Array(content.utf8)).hex
                return #"{"checksum":"\#(digest)","href":"\#(path)","sizeInBytes":\#(content.utf8.count)}"#
            }
            #expect(list.text == "[" + entries.joined(separator: ",") + "]")
            for (path, content) in published {
                let href = path.replacing(" ", with: "%20").replacing("é", with: "%C3%A9")
                let file = try await server.ask("GET", "\(base)?href=\(href)")
                #expect((file.status, file.text) == (200, content))
                #expect(file["x-checksum"] == Digest(of: Array(content.utf8)).hex)
                #expect(file["cache-control"] == "public, max-age=31536000, immutable")
            }
        }
    }

    @Test(arguments: ["6.4.2", "", "x"])
    func `a plugin without lists gets the complete zip with its checksum`(plugin: String) async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.shop.local.maintain()
        try await adapted.serving(.capawesome) { (server) async throws in
            for package in ["checkout", "till"] {
                let fields = try Self.fields(await Self.check(server, Self.path(package, plugin: plugin)))
                #expect(try fields.string("artifactType") == "zip")
                let zip = try await server.ask("GET", Self.local(fields.string("url")))
                #expect(try fields.string("checksum") == Digest(of: zip.body).hex)
                let names = try Set(Unzipped.files(zip.body).keys)
                #expect(names.isSuperset(of: ["index.html", package == "till" ? "static/vendor.js" : "app.js"]))
            }
        }
    }

    @Test func `two files that swapped their contents come as a zip, since the client would not notice`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.publish("1.3.0", ["index.html": "<p>", "a.js": "a()", "b.js": "b()"])
        try await adapted.publish("1.4.0", ["index.html": "<p>", "a.js": "b()", "b.js": "a()", "c.js": "a()"])
        try await adapted.serving(.capawesome) { (server) async throws in
            func type(_ running: String) async throws -> String {
                try await Self.fields(Self.check(server, Self.path(running: running))).string("artifactType")
            }
            #expect(try await type("=1.3.0") == "zip")
            #expect(try await type("") == "manifest")
            #expect(try await type("=1.1.0") == "manifest")
            // What another server's bundle has is not known.
            #expect(try await type("=6f1c3f6e-0000-4000-8000-000000000000") == "zip")
            #expect(try await type("=9.9.9") == "zip")
        }
    }

    @Test func `what runs is named again, a rollback is an update, and the way back to the app is none`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capawesome) { (server) async throws in
            let running = Self.path(running: "=1.1.0")
            #expect(try await Self.fields(Self.check(server, running)).string("bundleId") == "1.1.0")
            try await adapted.change(.rollBack(to: nil))
            #expect(try await Self.fields(Self.check(server, running)).string("bundleId") == "1.0.0")
            try await adapted.change(.rollBackToEmbedded)
            let none = try await Self.check(server, running)
            #expect((none.status, none.text) == (404, #"{"message":"there is no version for this device"}"#))
        }
    }

    @Test func `shares admit the devices that /v1/update admits, and a newer app is asked for`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.offer("1.2.0", 50)
        try await adapted.serving(.capawesome) { (server) async throws in
            for number in 0..<12 {
                let own = try await server.ask("GET", "/v1/update?channel=beta&package=checkout&device=d\(number)")
                let version = try JSONValue(parsing: own.body).object().string("version")
                let answer = try await Self.check(server, Self.path(device: "d\(number)"))
                #expect(try Self.fields(answer).string("bundleId") == version)
            }
            let nameless = try await Self.check(server, Self.path(device: nil))
            #expect(try Self.fields(nameless).string("bundleId") == "1.1.0")
            try await adapted.change(.offer(version("2.0.0"), .everyone))
            let new = try await Self.check(server, Self.path(app: "5.0"))
            #expect(try Self.fields(new).string("bundleId") == "2.0.0")
        }
    }

    @Test func `a mandatory release says so to the app`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.publish("1.3.0", ["index.html": "<p>"], policy: ClientPolicy(isMandatory: true))
        try await adapted.serving(.capawesome) { (server) async throws in
            let properties = try await Self.fields(Self.check(server)).object("customProperties")
            #expect(properties == ["mandatory": "true"])
        }
    }

    @Test func `a proxy may name the package, and the app's id is then anything`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capawesome) { (server) async throws in
            let path = Self.path("6f1c3f6e-0000-4000-8000-000000000000", below: "/adapters/capawesome/checkout/v1/apps")
            #expect(try await Self.fields(Self.check(server, path)).string("bundleId") == "1.1.0")
            let own = try await Self.check(server, Self.path(below: "/adapters/capawesome/v1/apps"))
            #expect(try Self.fields(own).string("bundleId") == "1.1.0")
        }
        // The paths at the root are this adapter's, and nobody's without it.
        try await adapted.serving(.capgo) { (server) async throws in
            #expect(try await Self.check(server).status == 404)
            #expect(try await server.ask("GET", "/v1/update?channel=beta&package=checkout&device=d1").status == 200)
        }
    }

    @Test(arguments: [
        ("36", "16"), ("34", "14"), ("33", "13"), ("32", "12"), ("31", "12"), ("30", "11"), ("28", "9"), ("26", "8.0"),
        ("24", "7.0"), ("9", nil), ("1000", nil), ("x", nil),
    ])
    func `Android's API level is told as the version that rules name`(level: String, version: String?) {
        #expect(CapawesomeDevice.android(level: level)?.description == version)
    }

    @Test(arguments: [
        ("/v1/apps/checkout/channels", ServerMetrics.Kind.adapters), ("/adapters/capawesome/x", .adapters),
        ("/v1/update", .api), ("/v1/appsettings", .api),
    ])
    func `requests at the root count as those of adapters`(path: String, kind: ServerMetrics.Kind) {
        #expect(ServerMetrics.Kind(path: path) == kind)
    }

    // MARK: Channels

    @Test func `channels that offer the package are listed, a page at a time`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capawesome) { (server) async throws in
            let all = #"[{"id":"beta","name":"beta"}]"#
            for (query, text) in [
                ("", all), ("?limit=1&offset=0&query=BET", all), ("?offset=1", "[]"), ("?query=x", "[]"),
                ("?limit=0", "[]"),
            ] {
                let answer = try await server.ask("GET", "/v1/apps/checkout/channels\(query)")
                #expect((answer.status, answer.text) == (200, text), "\(query)")
            }
            #expect(try await server.ask("GET", "/v1/apps/none/channels").text == "[]")
            #expect(try await server.ask("GET", "/v1/apps/checkout/channels?limit=-1").status == 400)
        }
    }

    // MARK: Hostile requests

    @Test func `what is malformed gets a message, and the server goes on`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capawesome) { (server) async throws in
            let long = String(repeating: "x", count: 300)
            let files = "/adapters/capawesome/checkout/1.1.0/files"
            for path in [
                "/v1/apps/CHECKOUT/bundles/latest", "/v1/apps/none/bundles/latest", "/v1/apps/checkout/bundles",
                "/v1/apps/checkout/bundles/latest/x", "/v1/apps/checkout/", Self.path(also: "&channelName=..%2Fx"),
                Self.path(device: long), Self.path(also: "&channelName=none"), "/v1/apps/common/bundles/latest",
                "/adapters/capawesome/x", "/adapters/capawesome/checkout/9.9.9/files?href=index.html", files,
                files + "?href=", files + "?href=..%2F..%2Fetc%2Fpasswd", files + "?href=%2Fetc%2Fpasswd",
                files + "?href=%00", files + "?href=none.js", files + "?href=\(long)", files + "?href=%FF",
                "/adapters/capawesome/common/1.0.0/files?href=vendor.js",
            ] {
                let answer = try await Self.check(server, path)
                #expect([400, 404].contains(answer.status), "\(path): \(answer)")
                #expect(try !Self.fields(answer).string("message").isEmpty)
            }
            #expect(try await server.ask("POST", Self.path(), body: []).status == 405)
            #expect(try await server.ask("POST", files + "?href=app.js", body: []).status == 405)
            #expect(try await Self.fields(Self.check(server)).string("bundleId") == "1.1.0")
        }
    }
}
