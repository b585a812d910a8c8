import Foundation
import PackFormat
import PackJSON
import TestSupport
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistryServer

/// The protocol of CodePush's clients over a real server and real sockets.
@Suite("CodePushTests") struct CodePushTests {
    static let base = "/adapters/codepush/v0.1/public/codepush/"
    static let key = "checkout%2Fbeta"

    static let nothing =
        #"{"update_info":{"description":"","download_url":"","is_available":false,"is_mandatory":false,"label":"","#
        + #""package_hash":"","package_size":0,"should_run_binary_version":false,"target_binary_range":"","#
        + #""update_app_version":false}}"#

    /// What a client that runs what its app brought asks.
    static func check(
        _ server: RunningServer, _ more: String = "", key: String = key, app: String = "3.2", device: String = "d1"
    ) async throws -> RawAnswer {
        try await server.ask(
            "GET",
            base + "update_check?deployment_key=\(key)&app_version=\(app)&is_companion=false&client_unique_id=\(device)"
                + more)
    }

    /// What a client that runs one of the versions says of it.
    static func running(_ version: String, _ adapted: AdaptedShop) throws -> String {
        let manifest = try #require(adapted.sites[version]?.manifest)
        return "&package_hash=\(CodePushHash.hash(of: manifest, in: "www"))&label=\(version)"
    }

    static func info(_ answer: RawAnswer) throws -> JSONObject {
        try JSONValue(parsing: answer.body).object().object("update_info")
    }

    static func zip(_ server: RunningServer, _ info: JSONObject) async throws -> [UInt8] {
        let url = try info.string("download_url")
        #expect(url.hasPrefix("http://localhost/adapters/archives/"))
        let answer = try await server.ask("GET", String(url.dropFirst("http://localhost".count)))
        #expect(try (answer.status, answer.body.count) == (200, info.integer("package_size")))
        return answer.body
    }

    // MARK: The check

    @Test func `a complete zip has the published files in the client's folder, and the hash that clients compute`()
        async throws
    {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.codepush) { server in
            let answer = try await Self.check(server)
            #expect((answer.status, answer["content-type"]) == (200, "application/json"))
            let info = try Self.info(answer)
            let zip = try await Self.zip(server, info)
            let unzipped = try Unzipped(zip)
            let hash = try unzipped.codePushHash()
            #expect(
                answer.text == #"{"update_info":{"description":"","#
                    + #""download_url":"http://localhost/adapters/archives/checkout/1.1.0/www.zip","#
                    + #""is_available":true,"is_mandatory":false,"label":"1.1.0","package_hash":"\#(hash)","#
                    + #""package_size":\#(zip.count),"should_run_binary_version":false,"target_binary_range":"3.2","#
                    + #""update_app_version":false}}"#)
            let files = try unzipped.files()
            #expect(Set(files.keys) == ["www/index.html", "www/app.js"])
            #expect(files["www/index.html"]?.hasPrefix("<h1>checkout 1.1.0</h1>") == true)
            // Clients see a zip by its first bytes.
            #expect(zip.prefix(4) == [0x50, 0x4B, 3, 4])
        }
    }

    @Test func `a zip for Capacitor has its folder, with the files of shared bundles`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.codepush) { server in
            let info = try await Self.info(Self.check(server, key: "till%2Fbeta%2Fpublic"))
            let unzipped = try await Unzipped(Self.zip(server, info))
            var published = AdaptedShop.tillFiles
            published["static/vendor.js"] = AdaptedShop.vendor
            #expect(try unzipped.files() == Dictionary(uniqueKeysWithValues: published.map { ("public/\($0)", $1) }))
            #expect(try info.string("package_hash") == unzipped.codePushHash())
        }
    }

    @Test func `the hash has its entries in the order of JavaScript`() throws {
        let folder = try TemporaryFolder()
        let names = ["a", "b-a.js", "b.b/x", "b/z", "C", "\u{1F600}.js", "\u{FFEE}.js", "é.css", "index.html"]
        let files = Dictionary(uniqueKeysWithValues: names.map { ($0, "content of \($0)") })
        let site = try Site("checkout", "1.0.0", files, in: folder)
        let root = folder.url.appending(path: "root")
        for (path, content) in files {
            let file = root.appending(path: "www/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        #expect(try Unzipped.codePushHash(below: root) == CodePushHash.hash(of: site.manifest, in: "www"))
    }

    @Test func `whoever has a version gets what changed since, and has the new one with it`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.publish("1.3.0", ["index.html": "<h1>new</h1>", "more/a.css": "p{}", "app.js": "x()"])
        try await adapted.publish("1.4.0", ["index.html": "<h1>newer</h1>", "app.js": "x()"])
        try await adapted.serving(.codepush) { server in
            // As if 1.3.0 was fetched as a whole.
            try await adapted.change(.rollBack(to: version("1.3.0")))
            let first = try await Self.info(Self.check(server))
            let device = try await Unzipped(Self.zip(server, first))
            try await adapted.change(.offer(version("1.4.0"), .everyone, consent: .again))
            let own = try "&package_hash=\(first.string("package_hash"))&label=1.3.0"
            let second = try await Self.info(Self.check(server, own))
            #expect(try second.string("download_url").hasSuffix("/checkout/1.4.0/www.from-1.3.0.zip"))
            let changes = try await Self.zip(server, second)
            #expect(
                try Unzipped.files(changes) == [
                    "www/index.html": "<h1>newer</h1>", "hotcodepush.json": #"{"deletedFiles":["www/more/a.css"]}"#,
                ])
            try device.add(changes)
            try device.remove("hotcodepush.json")
            try device.remove("www/more/a.css")
            #expect(try device.files() == ["www/index.html": "<h1>newer</h1>", "www/app.js": "x()"])
            #expect(try device.codePushHash() == second.string("package_hash"))
            // Whoever says another hash has other files.
            let other = try await Self.info(Self.check(server, "&package_hash=00&label=1.3.0"))
            #expect(try other.string("download_url").hasSuffix("/checkout/1.4.0/www.zip"))
        }
    }

    @Test func `what runs already is no update, and a rollback is one`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.codepush) { server in
            let own = try Self.running("1.1.0", adapted)
            #expect(try await Self.check(server, own).text == Self.nothing)
            // The app's own pages may be those of the version.
            let hash = try #require(own.split(separator: "&").first)
            #expect(try await Self.check(server, "&\(hash)").text == Self.nothing)
            try await adapted.change(.rollBack(to: nil))
            let back = try await Self.info(Self.check(server, own))
            #expect(try (back.string("label"), back.bool("is_available")) == ("1.0.0", true))
            #expect(try back.string("download_url").hasSuffix("/checkout/1.0.0/www.from-1.1.0.zip"))
            try await adapted.change(.rollBackToEmbedded)
            let embedded = try await Self.info(Self.check(server, own))
            #expect(try (embedded.bool("is_available"), embedded.bool("should_run_binary_version")) == (false, true))
        }
    }

    @Test func `a mandatory release is mandatory, also for whoever skips it`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.publish("1.3.0", ["index.html": "3"], policy: ClientPolicy(isMandatory: true))
        try await adapted.serving(.codepush) { server in
            #expect(try await Self.info(Self.check(server)).bool("is_mandatory"))
            try await adapted.publish("1.4.0", ["index.html": "4"])
            #expect(try await !Self.info(Self.check(server)).bool("is_mandatory"))
            let info = try await Self.info(Self.check(server, Self.running("1.1.0", adapted)))
            #expect(try (info.string("label"), info.bool("is_mandatory")) == ("1.4.0", true))
        }
    }

    @Test func `a version for a newer app says which app it needs`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.change(.offer(version("2.0.0"), .everyone))
        try await adapted.serving(.codepush) { server in
            let own = try Self.running("1.1.0", adapted)
            let info = try await Self.info(Self.check(server, own))
            #expect(try (info.bool("update_app_version"), info.string("target_binary_range")) == (true, ">=5.0.0"))
            #expect(try await Self.info(Self.check(server, own, app: "5")).string("label") == "2.0.0")
            _ = try await adapted.shop.registry.change(.gate(package(), isOn: false), on: channel())
            #expect(try await Self.check(server, own, app: "5").text == Self.nothing)
        }
    }

    @Test func `shares admit the devices that /v1/update admits`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.offer("1.2.0", 50)
        try await adapted.serving(.codepush) { server in
            var seen: Set<String> = []
            for number in 0..<24 {
                let own = try await server.ask("GET", "/v1/update?channel=beta&package=checkout&device=d\(number)")
                let version = try JSONValue(parsing: own.body).object().string("version")
                seen.insert(version)
                let answer = try await Self.check(server, device: "d\(number)")
                #expect(try Self.info(answer).string("label") == version)
            }
            #expect(seen == ["1.1.0", "1.2.0"])
            #expect(try await Self.info(Self.check(server, device: "")).string("label") == "1.1.0")
        }
    }

    @Test func `older clients have other words, and their old keys`() async throws {
        let adapted = try await AdaptedShop.make()
        let table = try CodePushKeyTable(parsing: Array(#"{"dk_Old": "checkout/beta/public"} // from 2021"#.utf8))
        try await adapted.serving(.codepush, { $0.codePushKeys = table }) { server in
            let answer = try await server.ask(
                "GET", "/adapters/codepush/updateCheck?deploymentKey=dk_Old&appVersion=3.2.0&isCompanion=false")
            let info = try JSONValue(parsing: answer.body).object().object("updateInfo")
            #expect(try info.string("label") == "1.1.0" && info.string("appVersion") == "3.2.0")
            #expect(try info.string("downloadURL").hasSuffix("/checkout/1.1.0/public.zip"))
            #expect(
                Set(info.members.map(\.key)) == [
                    "appVersion", "description", "downloadURL", "isAvailable", "isMandatory", "label", "packageHash",
                    "packageSize", "shouldRunBinaryVersion", "updateAppVersion",
                ])
            // At the root, as on the server that the app knew.
            let root = try await server.ask(
                "GET", "/v0.1/public/codepush/update_check?deployment_key=dk_Old&app_version=3.2.0")
            #expect(try Self.info(root).string("label") == "1.1.0")
            let unknown = try await Self.check(server, key: "dk_Other")
            #expect((unknown.status, unknown.text) == (404, "the deployment key is not known here"))
        }
        for text in ["[]", #"{"a": 1}"#, #"{"a": "checkout"}"#, #"{"a": "checkout/beta/other"}"#] {
            #expect(throws: FormatError.self) { try CodePushKeyTable(parsing: Array(text.utf8)) }
        }
    }

    @Test func `older clients ask at the root, where their server was, and report there`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.codepush) { (server) async throws in
            let check = "/updateCheck?deploymentKey=checkout%2Fbeta&appVersion=3.2.0&clientUniqueId=d1"
            let info = try await JSONValue(parsing: server.ask("GET", check).body).object().object("updateInfo")
            #expect(try (info.string("label"), info.bool("isAvailable")) == ("1.1.0", true))
            let report: JSONObject = [
                "deploymentKey": "checkout/beta", "clientUniqueId": "d1", "appVersion": "3.2.0", "label": "1.1.0",
                "status": "DeploymentSucceeded",
            ]
            for name in ["download", "deploy"] {
                let answer = try await server.send(report, to: "/reportStatus/\(name)")
                #expect((answer.status, answer.text) == (200, "OK"))
            }
            #expect(try await server.ask("GET", "/updateCheck/x").text == "there is nothing at this path")
            #expect(try await server.ask("GET", "/reportStatus/deploy").status == 405)
        }
        let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel()))
        let version = try #require(stats.versions.first)
        #expect((version.version.description, version.activated, version.confirmed) == ("1.1.0", 1, 1))
        // They are this adapter's paths, and nobody's without it.
        try await adapted.serving(.capgo) { (server) async throws in
            for path in ["/updateCheck?deploymentKey=checkout%2Fbeta&appVersion=3.2.0", "/reportStatus/deploy"] {
                #expect(try await server.ask("GET", path)["content-type"] == "application/problem+json")
            }
        }
    }

    @Test(arguments: ["/updateCheck", "/reportStatus/deploy", "/v0.1/public/codepush/update_check", "/offline/x"])
    func `requests at the root count as those of adapters`(path: String) {
        #expect(ServerMetrics.Kind(path: path) == .adapters)
    }

    @Test func `an app that shows every version is offered what requires a newer one, by the rules for its device`()
        async throws
    {
        let adapted = try await AdaptedShop.make()
        try await adapted.change(.offer(version("2.0.0"), Rollout(audiences: [Audience("device=d1")])))
        try await adapted.serving(.codepush) { (server) async throws in
            func label(_ companion: String, _ device: String, isOlder: Bool = false) async throws -> String {
                let query =
                    isOlder
                    ? "updateCheck?deploymentKey=checkout%2Fbeta&appVersion=3.2&isCompanion=\(companion)"
                        + "&clientUniqueId=\(device)"
                    : "update_check?deployment_key=checkout%2Fbeta&app_version=3.2&is_companion=\(companion)"
                        + "&client_unique_id=\(device)"
                let answer = try await server.ask("GET", "/adapters/codepush/" + query)
                let document = try JSONValue(parsing: answer.body).object()
                return try document.object(isOlder ? "updateInfo" : "update_info").string("label")
            }
            for isOlder in [false, true] {
                #expect(try await label("true", "d1", isOlder: isOlder) == "2.0.0")
                #expect(try await label("false", "d1", isOlder: isOlder) == "1.1.0")
                // Whom the release is not for.
                #expect(try await label("true", "d2", isOlder: isOlder) == "1.1.0")
                #expect(try await label("true", "", isOlder: isOlder) == "1.1.0")
            }
        }
    }

    // MARK: Reports

    @Test func `what clients tell is counted as reports`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.codepush) { (server) async throws in
            func tell(_ name: String, _ more: JSONObject, _ device: String) async throws -> RawAnswer {
                var body: JSONObject = [
                    "deployment_key": "checkout/beta", "client_unique_id": .string(device), "app_version": "3.2.0",
                ]
                for member in more.members { body[member.key] = member.value }
                return try await server.send(body, to: Self.base + "report_status/\(name)")
            }
            for device in ["d1", "d2"] {
                #expect(try await tell("deploy", [:], device).text == "OK")
                #expect(try await tell("download", ["label": "1.1.0"], device).text == "OK")
            }
            let good: JSONObject = ["label": "1.1.0", "status": "DeploymentSucceeded"]
            #expect(try await tell("deploy", good, "d1").status == 200)
            let failed: JSONObject = ["label": "1.1.0", "status": "DeploymentFailed"]
            var left = failed
            left["previous_label_or_app_version"] = "1.0.0"
            #expect(try await tell("deploy", left, "d2").status == 200)
            // It could not be installed, and never ran.
            #expect(try await tell("deploy", failed, "d3").status == 200)
            #expect(try await tell("deploy", ["label": "1.1.0", "status": "Other"], "d2").status == 400)
        }
        let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel()))
        let version = try #require(stats.versions.first)
        #expect((stats.versions.count, version.version.description) == (1, "1.1.0"))
        #expect((version.activated, version.confirmed, version.failed) == (2, 1, 1))
        #expect(Set(stats.failures.map(\.fault)) == [.neverConfirmed, .damaged])
    }

    @Test func `what becomes of a version counts for the release that it was downloaded from`() async throws {
        let adapted = try await AdaptedShop.make()
        let first = try await adapted.release()
        try await adapted.serving(.codepush) { (server) async throws in
            func tell(_ name: String, _ device: String, _ more: JSONObject = [:]) async throws {
                var body: JSONObject = [
                    "deployment_key": "checkout/beta", "client_unique_id": .string(device), "app_version": "3.2.0",
                    "label": "1.1.0",
                ]
                for member in more.members { body[member.key] = member.value }
                #expect(try await server.send(body, to: Self.base + "report_status/\(name)").status == 200)
            }
            for device in ["d1", "d2", "d3"] { try await tell("download", device) }
            // The channel goes on to another version, and back to the first by one more release.
            try await adapted.offer("1.2.0")
            try await tell("deploy", "d1", ["status": "DeploymentSucceeded", "previous_label_or_app_version": "3.2.0"])
            try await adapted.change(.rollBack(to: version("1.1.0")))
            #expect(try await adapted.release() != first)
            try await tell("deploy", "d2", ["status": "DeploymentFailed", "previous_label_or_app_version": "3.2.0"])
            try await tell("deploy", "d3", ["status": "DeploymentFailed"])
        }
        let stats = try await adapted.shop.registry.stats(StatsQuery(channel: channel()))
        let row = try #require(stats.versions.first)
        #expect(stats.versions.map(\.release) == [first])
        #expect((row.activated, row.confirmed, row.failed) == (2, 1, 1))
        #expect(stats.failures.map(\.release) == [first, first])
    }

    // MARK: Hostile requests

    @Test func `what is malformed gets a text and no crash`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.codepush) { server in
            for query in [
                "", "?", "?deployment_key=", "?deployment_key=checkout/beta", "?app_version=1",
                "?deployment_key=..%2F..%2Fetc&app_version=1", "?deployment_key=checkout%2Fbeta&app_version=%FF",
                "?deployment_key=checkout%2Fbeta&app_version=\(String(repeating: "1", count: 300))",
                "?deployment_key=checkout%2Fbeta%2Fetc&app_version=1",
                "?deployment_key=checkout%2Fbeta&app_version=1&label=..%2Fx&package_hash=%00",
            ] {
                let answer = try await server.ask("GET", Self.base + "update_check" + query)
                #expect(answer.status < 500, "\(query): \(answer)")
                if answer.status >= 400 { #expect(answer["content-type"] == "text/plain; charset=utf-8") }
            }
            for text in [
                "", "{", "[]", "null", "{\"deployment_key\":1}", "{\"deployment_key\":\"checkout/beta\",\"label\":{}}",
            ] {
                for name in ["deploy", "download"] {
                    let answer = try await server.ask(
                        "POST", Self.base + "report_status/\(name)", body: Array(text.utf8))
                    #expect(answer.status < 500, "\(text): \(answer)")
                }
            }
            let large = try await server.ask(
                "POST", Self.base + "report_status/deploy", body: Array(repeating: 0x20, count: 65_537))
            #expect(large.status == 413)
            #expect(try await server.ask("POST", Self.base + "update_check", body: []).status == 405)
            #expect(try await server.ask("GET", "/v0.1/other").status == 404)
            #expect(try await Self.info(Self.check(server)).string("label") == "1.1.0")
        }
    }

    @Test func `only zips of what is offered are made`() async throws {
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(.codepush) { server in
            let good = "/adapters/archives/checkout/1.1.0/www.from-1.0.0.zip"
            let head = try await server.ask("HEAD", good)
            let whole = try await server.ask("GET", good)
            #expect((head.status, head["content-length"]) == (200, String(whole.body.count)))
            for path in [
                // Published, and offered to nobody.
                "checkout/1.2.0/www.zip", "checkout/1.1.0/etc.zip", "checkout/1.1.0/www", "checkout/1.1.0/.zip",
                "checkout/1.1.0/www.from-9.9.9.zip", "checkout/1.1.0/www.from-1.1.0.zip", "checkout/9.9.9/www.zip",
                "checkout/1.1.0/site.from-1.0.0.zip", "common/1.0.0/site.zip", "checkout/1.1.0/www.zip/x", "checkout",
                "checkout/1.1.0/..%2fwww.zip", "checkout/1.1.0/www.from-.zip",
                "checkout/1.1.0/www.from-1.0.0.from-1.0.0.zip",
            ] {
                let answer = try await server.ask("GET", "/adapters/archives/\(path)")
                #expect([400, 404].contains(answer.status), "\(path): \(answer)")
            }
            #expect(try await server.ask("POST", good, body: []).status == 405)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: adapted.shop.local.siteArchiveFolder.path)
        #expect(names.count == 1, "\(names)")
    }
}
