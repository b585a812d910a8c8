import Foundation
import PackFormat
import PackJSON
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// The protocol of Capgo's clients over a real server and real sockets.
@Suite("CapgoTests") struct CapgoTests {
    static let upToDate =
        #"{"error":"no_new_version_available","kind":"up_to_date","message":"No new version available"}"#

    /// What a client says. Version 4 of the plugin reads zips only.
    static func device(
        _ id: String = "d1", running: String = "builtin", plugin: String = "7.0.34", also more: JSONObject = [:]
    ) -> JSONObject {
        var body: JSONObject = [
            "platform": "android", "device_id": .string(id), "app_id": "com.example.shop", "custom_id": "",
            "version_build": "3.2.0", "version_code": "17", "version_os": "14", "version_name": .string(running),
            "plugin_version": .string(plugin), "is_emulator": false, "is_prod": true, "defaultChannel": "",
        ]
        for member in more.members { body[member.key] = member.value }
        return body
    }

    static func check(
        _ server: RunningServer, _ device: JSONObject, of package: String = "checkout"
    ) async throws -> RawAnswer {
        try await server.send(device, to: "/adapters/capgo/\(package)/updates")
    }

    static func fields(_ answer: RawAnswer) throws -> JSONObject { try JSONValue(parsing: answer.body).object() }

    private static func path(of url: String) throws -> String {
        #expect(url.hasPrefix("http://localhost/"))
        return String(url.dropFirst("http://localhost".count))
    }

    // MARK: Updates

    @Test func `the published zip is offered with its checksum, and unpacks to the published files`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.shop.local.maintain()
        try await adapted.serving(.capgo) { server in
            let answer = try await Self.check(server, Self.device())
            #expect((answer.status, answer["content-type"]) == (200, "application/json"))
            #expect(answer["cache-control"] == "no-store")
            let zip = try await server.ask("GET", "/packages/checkout-1.1.0.zip")
            #expect(
                answer.text == #"{"checksum":"\#(Digest(of: zip.body).hex)","#
                    + #""url":"http://localhost/packages/checkout-1.1.0.zip","version":"1.1.0"}"#)
            let files = try Unzipped.files(zip.body)
            #expect(Set(files.keys) == ["index.html", "app.js", "pack.json"])
            #expect(files["index.html"]?.hasPrefix("<h1>checkout 1.1.0</h1>") == true)
        }
    }

    @Test func `a version with files of a shared bundle gets a complete zip, which is made when it is first needed`()
        async throws
    {
        let adapted = try await AdaptedShop.make()
        try await adapted.shop.local.maintain()
        try await adapted.serving(.capgo) { server in
            let answer = try Self.fields(await Self.check(server, Self.device(), of: "till"))
            let url = try answer.string("url")
            #expect(url == "http://localhost/adapters/archives/till/1.0.0/site.zip")
            let zip = try await server.ask("GET", Self.path(of: url))
            #expect((zip.status, zip["content-type"]) == (200, "application/zip"))
            #expect(zip["cache-control"] == "public, max-age=31536000, immutable")
            #expect(try answer.string("checksum") == Digest(of: zip.body).hex)
            var published = AdaptedShop.tillFiles
            published["static/vendor.js"] = AdaptedShop.vendor
            #expect(try Unzipped.files(zip.body) == published)
            // A client goes on where it was interrupted.
            let part = try await server.ask("GET", Self.path(of: url), ["Range": "bytes=10-"])
            #expect((part.status, part.body) == (206, Array(zip.body.dropFirst(10))))
        }
    }

    @Test func `a client that reads lists gets each file with its digest and its object`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.shop.local.maintain()
        try await adapted.serving(.capgo) { server in
            let answer = try await Self.check(server, Self.device(plugin: "8.51.14"))
            func entry(_ path: String) throws -> String {
                let hex = try adapted.digest("1.1.0", path)
                return #"{"download_url":"http://localhost/objects/\#(hex.prefix(2))/\#(hex)","file_hash":"\#(hex)","#
                    + #""file_name":"\#(path)"}"#
            }
            let zip = try await server.ask("GET", "/packages/checkout-1.1.0.zip")
            #expect(
                try answer.text == #"{"checksum":"\#(Digest(of: zip.body).hex)","#
                    + #""url":"http://localhost/packages/checkout-1.1.0.zip","version":"1.1.0","#
                    + #""manifest":[\#(entry("app.js")),\#(entry("index.html"))]}"#)
            for value in try Self.fields(answer).array("manifest") {
                let file = try value.object()
                let bytes = try await server.ask("GET", Self.path(of: file.string("download_url"))).body
                #expect(try Digest(of: bytes).hex == file.string("file_hash"))
            }
            // Of a version with shared files the zip is not made for a client that does not fetch it.
            let till = try Self.fields(await Self.check(server, Self.device(plugin: "8.51.14"), of: "till"))
            #expect(try till.string("checksum") == "" && till.array("manifest").count == 4)
            #expect(!FileManager.default.fileExists(atPath: adapted.shop.local.siteArchiveFolder.path))
        }
    }

    @Test(arguments: [
        ("4.9.0", false), ("5.9.9", false), ("5.10.0", true), ("6.24.9", false), ("6.25.0", true), ("7.0.34", false),
        ("7.0.37", false), ("7.0.38", true), ("7.9.1", true), ("7.9.2", false), ("7.18.14", false),
        ("7.18.15", true), ("8.0.0", true), ("9.1.0", true), ("", false), ("x", false),
    ])
    func `lists go to the plugins that read them`(plugin: String, reads: Bool) throws {
        #expect(try CapgoDevice(Self.device(plugin: plugin)).readsFileLists == reads)
    }

    @Test(arguments: [
        ("5.9.5", false), ("5.50.1", true), ("6.14.27", false), ("6.14.28", true), ("7.0.1", false), ("7.0.29", false),
        ("7.0.30", true),
        ("8.51.14", true), ("", false),
    ])
    func `a plugin that compares another sum gets no checksum`(plugin: String, verifies: Bool) async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.shop.local.maintain()
        try await adapted.serving(.capgo) { server in
            let answer = try Self.fields(await Self.check(server, Self.device(plugin: plugin)))
            #expect(try answer.string("checksum").utf8.count == (verifies ? 64 : 0))
        }
    }

    @Test func `what runs already is no update, and a rollback is one`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capgo) { server in
            #expect(try await Self.check(server, Self.device(running: "1.1.0")).text == Self.upToDate)
            #expect(try Self.fields(await Self.check(server, Self.device())).string("version") == "1.1.0")
            try await adapted.change(.rollBack(to: nil))
            let back = try Self.fields(await Self.check(server, Self.device(running: "1.1.0")))
            #expect(try back.string("version") == "1.0.0")
            try await adapted.change(.rollBackToEmbedded)
            #expect(try await Self.check(server, Self.device(running: "1.1.0")).text == #"{"version":"builtin"}"#)
            // What the app brought is named by the app's version, and by older clients by a word.
            for running in ["builtin", "3.2.0"] {
                #expect(try await Self.check(server, Self.device(running: running)).text == Self.upToDate)
            }
        }
    }

    @Test
    func `a version for a newer app, a package that is switched off and one that is not offered are refused by rule`()
        async throws
    {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capgo) { server in
            try await adapted.change(.offer(version("2.0.0"), .everyone))
            let blocked = try await Self.check(server, Self.device(running: "1.1.0"))
            #expect(
                blocked.text == #"{"error":"app_version_not_supported","kind":"blocked","#
                    + #""message":"A newer version needs app >=5.0.0"}"#)
            let newer = try await Self.check(server, Self.device(also: ["version_build": "5.1.0"]))
            #expect(try Self.fields(newer).string("version") == "2.0.0")
            // Whoever has not yet what the app can run gets it.
            #expect(try Self.fields(await Self.check(server, Self.device())).string("version") == "1.1.0")
            let absent = try await Self.check(server, Self.device(also: ["defaultChannel": "none"]))
            #expect(try Self.fields(absent).string("error") == "not_offered")
            let encrypted = try await Self.check(server, Self.device(also: ["key_id": "MIIBCgKCAQEA"]))
            #expect(try Self.fields(encrypted).string("error") == "encryption_not_supported")
            _ = try await adapted.shop.registry.change(.gate(package(), isOn: false), on: channel())
            let off = try await Self.check(server, Self.device())
            #expect(try Self.fields(off).string("error") == "disabled_by_channel")
            for answer in [blocked, absent, encrypted, off] {
                #expect(answer.status == 200)
                #expect(try Self.fields(answer).string("kind") == "blocked")
            }
        }
    }

    @Test func `shares and groups admit the devices that /v1/update admits`() async throws {
        let adapted = try await AdaptedShop.make()
        let salt = String(repeating: "ab", count: 16)
        _ = try await adapted.shop.registry.change(
            .group(
                DeviceGroup(
                    name: "testers", salt: salt,
                    devices: Set(["d3", "d5"].map { DeviceGroup.hash(of: $0, salt: salt) }))),
            on: channel())
        try await adapted.offer("1.2.0", 50)
        try await adapted.change(.offer(version("2.0.0"), Rollout(audiences: [Audience("group=testers")])))
        try await adapted.serving(.capgo) { server in
            var seen: Set<String> = []
            for number in 0..<24 {
                let id = "d\(number)"
                let own = try await server.ask(
                    "GET", "/v1/update?channel=beta&package=checkout&device=\(id)&app=5.0.0&platform=android")
                let version = try Self.fields(own).string("version")
                seen.insert(version)
                let answer = try await Self.check(server, Self.device(id, also: ["version_build": "5.0.0"]))
                #expect(try Self.fields(answer).string("version") == version)
            }
            #expect(seen == ["1.1.0", "1.2.0", "2.0.0"])
            // Whoever does not say which device it is gets what everybody gets.
            let nobody = try await Self.check(server, Self.device("", also: ["version_build": "5.0.0"]))
            #expect(try Self.fields(nobody).string("version") == "1.1.0")
        }
    }

    @Test func `the sizes of a list's files are told`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capgo) { server in
            let hex = try adapted.digest("1.1.0", "app.js")
            let size = try #require(try adapted.sites["1.1.0"]?.manifest.files[PackagePath("app.js")]?.size)
            let body = Self.device(also: [
                "version": "1.1.0",
                "manifest": .array([
                    .object(["file_name": "app.js", "file_hash": .string(hex)]),
                    .object(["file_name": "b", "file_hash": "00"]),
                ]),
            ])
            let answer = try await server.send(body, to: "/adapters/capgo/checkout/updates/manifest_size")
            #expect(
                answer.text == #"{"files":[{"file_hash":"\#(hex)","file_name":"app.js","size":\#(size)},"#
                    + #"{"file_hash":"00","file_name":"b"}],"knownFiles":1,"totalSize":\#(size),"unknownFiles":1}"#)
        }
    }

    // MARK: Channels

    @Test func `an app chooses among the channels that offer the package`() async throws {
        let adapted = try await AdaptedShop.make()
        _ = try await adapted.shop.registry.change(
            .offer(version("1.0.0"), .everyone), of: package(), on: channel("nightly"))
        try await adapted.serving(.capgo) { server in
            let path = "/adapters/capgo/checkout/channel_self"
            let list = try await server.ask("GET", path + "?device_id=d1&platform=ios")
            #expect(
                list.text == #"[{"allow_self_set":true,"id":1,"name":"beta","public":true},"#
                    + #"{"allow_self_set":true,"id":2,"name":"nightly","public":false}]"#)
            func set(_ name: String) async throws -> RawAnswer {
                try await server.send(Self.device(also: ["channel": .string(name)]), to: path)
            }
            #expect(try await set("nightly").text == #"{"status":"ok"}"#)
            #expect(try await set("beta").text == #"{"status":"ok","unset":true}"#)
            for name in ["none", "no name", "../beta"] {
                let refused = try await set(name)
                #expect(refused.status == 400)
                #expect(try Self.fields(refused).string("error") == "channel_not_found")
            }
            let own = try await server.send(Self.device(also: ["defaultChannel": "nightly"]), to: path, "PUT")
            #expect(own.text == #"{"allowSet":true,"channel":"nightly","status":"override"}"#)
            let general = try await server.send(Self.device(), to: path, "PUT")
            #expect(general.text == #"{"allowSet":true,"channel":"beta","status":"default"}"#)
            #expect(try await server.send(Self.device(), to: path, "DELETE").text == #"{"status":"ok"}"#)
            let nightly = try await Self.check(server, Self.device(also: ["defaultChannel": "nightly"]))
            #expect(try Self.fields(nightly).string("version") == "1.0.0")
        }
    }

    // MARK: Statistics

    private static func event(_ action: String, _ version: String, at time: Int, _ id: String = "d1") -> JSONValue {
        .object(
            device(
                id,
                also: [
                    "action": .string(action), "version_name": .string(version), "old_version_name": "",
                    "timestamp": .integer(time), "metadata": .object(["a": "b"]),
                ]))
    }

    @Test func `what clients tell is counted as reports, once`() async throws {
        let adapted = try await AdaptedShop.make()
        let now = Int(Date().timeIntervalSince1970) * 1000
        try await adapted.serving(.capgo) { server in
            let good = JSONValue.array(
                ["download_complete", "set", "app_launch_ready", "app_moved_to_background", "download_fail"]
                    .enumerated()
                    .map { Self.event($1, "1.1.0", at: now + $0) } + [Self.event("set", "9.9.9", at: now + 9)])
            for _ in 0..<2 {
                let answer = try await server.ask(
                    "POST", "/adapters/capgo/checkout/stats", body: Array(good.compactText.utf8))
                #expect((answer.status, answer.text) == (200, #"{"status":"ok"}"#))
            }
            // One event alone comes without a list.
            for action in ["set", "update_fail"] {
                let one = Self.event(action, "1.1.0", at: now, "d2")
                #expect(
                    try await server.ask(
                        "POST", "/adapters/capgo/checkout/stats", body: Array(one.compactText.utf8)
                    ).status == 200)
            }
        }
        let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel()))
        let version = try #require(stats.versions.first { $0.version.description == "1.1.0" })
        #expect((version.activated, version.confirmed, version.failed) == (2, 1, 1))
        #expect(version.release != nil)
        #expect(stats.versions.count == 1)
        #expect(stats.failures.map(\.fault) == [.neverConfirmed])
    }

    @Test func `a confirmation belongs to the release that brought the version, and counts once`() async throws {
        let adapted = try await AdaptedShop.make()
        let now = Int(Date().timeIntervalSince1970) * 1000
        try await adapted.serving(.capgo) { server in
            func tell(_ action: String, _ version: String, at time: Int) async throws {
                let event = Self.event(action, version, at: time, "d1")
                let path = "/adapters/capgo/checkout/stats"
                #expect(
                    try await server.ask("POST", path, body: Array(event.compactText.utf8)).status == 200)
            }
            try await tell("set", "1.1.0", at: now - 9_000)
            // Another version is offered before the app starts anew.
            try await adapted.change(.rollBack(to: nil))
            for second in 1..<4 { try await tell("app_launch_ready", "1.1.0", at: now - 9_000 + second * 1000) }
        }
        let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel()))
        let version = try #require(stats.versions.first)
        #expect(stats.versions.count == 1 && version.release != nil && version.version.description == "1.1.0")
        #expect((version.activated, version.confirmed, version.waiting) == (1, 1, 0))
        #expect(version.series.reduce(0) { $0 + $1.confirmed } == 1)
    }

    /// Tells a device's events, as its client sends them.
    private static func tell(
        _ server: RunningServer, _ events: [JSONValue], file: SourceLocation = #_sourceLocation
    ) async throws {
        let body = Array(JSONValue.array(events).compactText.utf8)
        let answer = try await server.ask("POST", "/adapters/capgo/checkout/stats", body: body)
        #expect(answer.status == 200, "\(answer)", sourceLocation: file)
    }

    @Test func `what becomes of a version counts for the release that it was downloaded from`() async throws {
        let adapted = try await AdaptedShop.make()
        let now = Int(Date().timeIntervalSince1970) * 1000
        let first = try await adapted.release()
        try await adapted.serving(.capgo) { (server) async throws in
            for id in ["d1", "d2", "d3"] {
                let downloaded = ["download_complete", "set_next"].enumerated()
                    .map { Self.event($1, "1.1.0", at: now - 9_000 + $0, id) }
                try await Self.tell(server, downloaded)
            }
            // The channel goes on to another version.
            try await adapted.offer("1.2.0")
            let started = ["set", "app_launch_ready"].enumerated().map { Self.event($1, "1.1.0", at: now - 8_000 + $0) }
            // The answer to the first report was lost, and it comes once more before the rest.
            try await Self.tell(server, [Self.event("download_complete", "1.1.0", at: now - 9_000)] + started)
            // And back to the first by one more release.
            try await adapted.change(.rollBack(to: version("1.1.0")))
            #expect(try await adapted.release() != first)
            for (index, action) in ["set", "update_fail"].enumerated() {
                try await Self.tell(server, [Self.event(action, "1.1.0", at: now - 7_000 + index, "d2")])
            }
            try await Self.tell(server, [Self.event("set_fail", "1.1.0", at: now - 6_000, "d3")])
        }
        let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel()))
        let row = try #require(stats.versions.first)
        #expect(stats.versions.map(\.release) == [first])
        #expect((row.activated, row.confirmed, row.failed) == (2, 1, 1))
        #expect(stats.failures.map(\.release) == [first, first])
        #expect(Set(stats.failures.map(\.phase)) == [.start, .install])
    }

    @Test func `a start of what a device still has counts for the release that brings it back, else for the first one`()
        async throws
    {
        let adapted = try await AdaptedShop.make()
        let now = Int(Date().timeIntervalSince1970) * 1000
        let start = ["set_next", "set", "app_launch_ready"]
        let first = try await adapted.release()
        try await adapted.serving(.capgo) { (server) async throws in
            func tell(_ actions: [String], _ version: String, at time: Int, _ id: String) async throws {
                try await Self.tell(server, actions.enumerated().map { Self.event($1, version, at: time + $0, id) })
            }
            // The server looks once a second what else was ever offered.
            func wait() async throws { try await Task.sleep(for: .milliseconds(1_200)) }
            for id in ["d1", "d2"] { try await tell(["download_complete"] + start, "1.1.0", at: now - 9_000, id) }
            try await adapted.offer("1.2.0")
            try await wait()
            try await tell(["download_complete"] + start, "1.2.0", at: now - 8_000, "d1")
            // The client of d2 goes back by itself.
            try await tell(["download_complete", "set", "update_fail"], "1.2.0", at: now - 8_000, "d2")
            try await tell(["set"], "1.1.0", at: now - 7_900, "d2")
            try await adapted.change(.rollBack(to: version("1.1.0")))
            try await wait()
            try await tell(start, "1.1.0", at: now - 7_000, "d1")
        }
        let back = try await adapted.release()
        let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel()))
        #expect(stats.versions.count == 3)
        func row(_ release: String) throws -> [Int] {
            let row = try #require(stats.versions.first { $0.release == release })
            return [row.activated, row.confirmed, row.failed]
        }
        #expect(try row(first) == [2, 2, 0])
        #expect(try row(back) == [1, 1, 0])
        let second = try #require(stats.versions.first { $0.version.description == "1.2.0" }?.release)
        #expect(try row(second) == [2, 1, 1])
    }

    @Test func `what a device told on another channel says nothing of this one`() async throws {
        let adapted = try await AdaptedShop.make()
        _ = try await adapted.shop.registry.change(
            .offer(version("1.1.0"), .everyone), of: package(), on: channel("nightly"))
        let now = Int(Date().timeIntervalSince1970) * 1000
        try await adapted.serving(.capgo) { (server) async throws in
            try await Self.tell(
                server, ["set", "app_launch_ready"].enumerated().map { Self.event($1, "1.1.0", at: now - 9_000 + $0) })
            for time in [now - 8_000, now - 7_000] {
                var ready = try Self.event("app_launch_ready", "1.1.0", at: time).object()
                ready["defaultChannel"] = "nightly"
                try await Self.tell(server, [.object(ready)])
            }
        }
        for (name, activated) in [("beta", 1), ("nightly", 0)] {
            let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel(name)))
            let series = stats.versions.flatMap(\.series)
            #expect(series.reduce(0) { $0 + $1.confirmed } == 1 && series.reduce(0) { $0 + $1.activated } == activated)
        }
    }

    // MARK: Hostile requests

    private static let texts: [String] = [
        "", "{", "[]", "null", "1", "\"a\"", "{\"device_id\":", "[[[[[[[[[[[[]]]]]]]]]]]]", "{\"a\":1,\"a\":2}",
        "{\"device_id\":\"\u{0}\"}", "\u{feff}{}", "{\"device_id\":\"\(String(repeating: "x", count: 300))\"}",
        "{\"version_build\":\"\(String(repeating: "9", count: 250))\"}", "{\"defaultChannel\":\"../../etc\"}",
        "{\"defaultChannel\":\"\(String(repeating: "x", count: 200))\"}", "{\"channel\":[]}", "{\"manifest\":[1]}",
        "{\"manifest\":{},\"version\":\"1.1.0\"}", "[1,2]", "[{\"action\":1}]",
        "[{\"action\":\"set\",\"version_name\":\"1.1.0\",\"timestamp\":9223372036854775807,\"device_id\":\"d\"}]",
    ]

    @Test func `what is malformed gets the protocol's error, and the server goes on`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.capgo) { server in
            for path in ["updates", "updates/manifest_size", "stats", "channel_self"] {
                for text in Self.texts {
                    let answer = try await server.ask(
                        "POST", "/adapters/capgo/checkout/\(path)", body: Array(text.utf8))
                    #expect(answer.status < 500, "\(path) \(text): \(answer)")
                    let json = try Self.fields(answer)
                    if answer.status >= 400 {
                        #expect(try !json.string("error").isEmpty && !json.string("message").isEmpty)
                    }
                }
            }
            let bad = try await server.ask("POST", "/adapters/capgo/checkout/updates", body: Array("{".utf8))
            #expect((bad.status, try Self.fields(bad).string("error")) == (400, "invalid_json_body"))
            let large = try await server.ask(
                "POST", "/adapters/capgo/checkout/updates", body: Array(repeating: 0x20, count: 65_537))
            #expect((large.status, try Self.fields(large).string("error")) == (413, "tooLarge"))
            let wrong = try await server.ask("GET", "/adapters/capgo/checkout/updates")
            #expect((wrong.status, wrong["allow"]) == (405, "POST"))
            for path in ["checkout", "checkout/other", "CHECK%20OUT/updates", "none/updates/x"] {
                #expect(try await server.ask("POST", "/adapters/capgo/\(path)", body: []).status == 404)
            }
            #expect(try await Self.check(server, Self.device(running: "1.1.0")).text == Self.upToDate)
        }
    }

    @Test func `nothing is answered unless it is turned on`() async throws {
        let adapted = try await AdaptedShop.make()
        try await RunningServer.with(adapted.shop.local) { server in
            let answer = try await Self.check(server, Self.device())
            #expect((answer.status, answer["content-type"]) == (404, "application/problem+json"))
            #expect(try await server.ask("GET", "/adapters/archives/till/1.0.0/site.zip").status == 404)
        }
    }
}
