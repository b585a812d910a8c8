import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// The protocol of Appflow's clients over a real server and real sockets.
@Suite("IonicTests") struct IonicTests {
    static let nothing =
        #"{"data":{"available":false,"compatible":true,"incompatibleUpdateAvailable":false,"partial":false}}"#

    static func check(
        _ server: RunningServer, _ package: String = "checkout", device id: JSONValue = "d1", snapshot: String? = nil,
        app: String = "3.2.0", channel: JSONValue = .null
    ) async throws -> RawAnswer {
        var device: JSONObject = [
            "binary_version": .string(app), "device_id": id, "platform": "android", "platform_version": "14",
        ]
        device["snapshot"] = snapshot.map { .string($0) }
        return try await server.send(
            [
                "channel_name": channel, "app_id": .string(package), "device": .object(device),
                "plugin_version": "5.5.3",
                "manifest": true,
            ], to: "/adapters/ionic/apps/\(package)/channels/check-device")
    }

    static func data(_ answer: RawAnswer) throws -> JSONObject {
        try JSONValue(parsing: answer.body).object().object("data")
    }

    @Test func `a device gets a list, and each file at its path beside the list`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.ionic) { server in
            let answer = try await Self.check(server, "till")
            let digest = adapted.till.digest.hex
            let build = try Self.data(answer).string("build")
            #expect(
                answer.text == #"{"data":{"available":true,"build":"\#(build)","compatible":true,"#
                    + #""incompatibleUpdateAvailable":false,"partial":false,"snapshot":"\#(digest.prefix(32))","#
                    + #""url":"http://localhost/adapters/ionic/till/1.0.0/files/"}}"#)
            let base = "/adapters/ionic/till/1.0.0/files/"
            let list = try await server.ask("GET", base)
            #expect(list["access-control-allow-origin"] == "*")
            var published = AdaptedShop.tillFiles
            published["static/vendor.js"] = AdaptedShop.vendor
            let entries = published.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { path, content in
                let integrity = "sha256-" + Data(Digest(of: Array(content.utf8)).bytes).base64EncodedString()
                return #"{"href":"\#(path)","size":\#(content.utf8.count),"integrity":"\#(integrity)"}"#
            }
            #expect(list.text == "[" + entries.joined(separator: ",") + "]")
            for (path, content) in published {
                let url = path.replacing(" ", with: "%20").replacing("é", with: "%C3%A9")
                let file = try await server.ask("GET", base + url)
                #expect((file.status, file.text) == (200, content))
            }
        }
    }

    @Test func `what runs already is no update, and a rollback is one`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.ionic) { server in
            let new = try #require(adapted.sites["1.1.0"]?.digest.hex.prefix(32)).description
            #expect(try await Self.check(server, snapshot: new).text == Self.nothing)
            try await adapted.change(.rollBack(to: nil))
            let back = try await Self.data(Self.check(server, snapshot: new))
            #expect(try back.string("url").hasSuffix("/checkout/1.0.0/files/"))
            try await adapted.change(.rollBackToEmbedded)
            #expect(try await Self.check(server, snapshot: new).text == Self.nothing)
            #expect(try await Self.check(server, channel: "none").text == Self.nothing)
        }
    }

    @Test func `shares admit the devices that /v1/update admits, and a newer app is asked for`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.offer("1.2.0", 50)
        try await adapted.serving(.ionic) { (server) async throws in
            for number in 0..<12 {
                let own = try await server.ask("GET", "/v1/update?channel=beta&package=checkout&device=d\(number)")
                let version = try JSONValue(parsing: own.body).object().string("version")
                let answer = try await Self.check(server, device: .string("d\(number)"))
                #expect(try Self.data(answer).string("url").hasSuffix("/\(version)/files/"))
            }
            #expect(try await Self.data(Self.check(server, device: .null)).string("url").hasSuffix("/1.1.0/files/"))
            try await adapted.change(.offer(version("2.0.0"), .everyone))
            let new = try #require(adapted.sites["1.1.0"]?.digest.hex.prefix(32)).description
            let old = try await Self.data(Self.check(server, device: .null, snapshot: new))
            #expect(try (old.bool("available"), old.bool("incompatibleUpdateAvailable")) == (false, true))
            #expect(try await Self.data(Self.check(server, app: "5.0.0")).string("url").hasSuffix("/2.0.0/files/"))
        }
    }

    @Test func `a web view may send from its page`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.ionic) { server in
            let answer = try await server.ask(
                "OPTIONS", "/adapters/ionic/apps/checkout/channels/check-device",
                [
                    "Origin": "ionic://localhost", "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "content-type",
                ])
            #expect((answer.status, answer["access-control-allow-origin"]) == (204, "*"))
            #expect(answer["access-control-allow-methods"] == "GET, POST, PUT, DELETE")
            #expect(answer["access-control-allow-headers"]?.contains("Content-Type") == true)
            #expect(try await Self.check(server)["access-control-allow-origin"] == "*")
        }
    }

    @Test func `what is malformed gets the protocol's error, and the server goes on`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.ionic) { server in
            let path = "/adapters/ionic/apps/checkout/channels/check-device"
            for text in [
                "", "{", "[]", "null", #"{"device":1}"#, #"{"device":{"device_id":{}}}"#, #"{"channel_name":"../x"}"#,
                #"{"device":{"device_id":"\#(String(repeating: "x", count: 300))"}}"#,
            ] {
                let answer = try await server.ask("POST", path, body: Array(text.utf8))
                #expect(answer.status < 500, "\(text): \(answer)")
                let json = try JSONValue(parsing: answer.body).object()
                if answer.status >= 400 { #expect(try !json.object("error").string("message").isEmpty) }
            }
            #expect(try await server.ask("POST", path, body: Array(repeating: 0x20, count: 65_537)).status == 413)
            #expect(try await server.ask("GET", path).status == 405)
            for path in [
                "apps/none/channels/other", "checkout/1.1.0", "checkout/9.9.9/files/", "checkout/1.1.0/files/none.js",
                "checkout/1.1.0/files/..%2f..%2fx", "common/1.0.0/files/", "apps/CHECKOUT/channels/check-device",
            ] {
                let answer = try await server.ask("GET", "/adapters/ionic/\(path)")
                #expect([400, 404, 405].contains(answer.status), "\(path): \(answer)")
            }
            #expect(try await Self.data(Self.check(server)).bool("available"))
        }
    }
}
