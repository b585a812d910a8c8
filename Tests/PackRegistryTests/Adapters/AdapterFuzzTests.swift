import Foundation
import PackFormat
import PackJSON
import TestSupport
import Testing

@testable import PackRegistryServer

/// Requests of other systems' clients, damaged at random: each gets an answer in its protocol's form.
@Suite("AdapterFuzzTests") struct AdapterFuzzTests {
    /// More with PACKTOOL_LONG=1.
    private static let count = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 300 : 20_000

    private static let pieces: [String] = [
        "null", "{}", "[]", "\"\"", "-1", "9223372036854775808", "1e9", "true", "\\u0000", "\u{0}", "../", "%00", "\"",
        "{\"a\":", "é", String(repeating: "[", count: 80), String(repeating: "x", count: 5_000), "1.1.0", "builtin",
    ]

    private static func damaged(_ bytes: [UInt8], using dice: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            switch Int.random(in: 0..<4, using: &dice) {
            case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &dice)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...40, using: &dice)))
            case 2: bytes.removeSubrange(place...)
            default:
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &dice)]
                bytes.insert(contentsOf: piece.utf8, at: place)
            }
        }
        return bytes
    }

    private static func text(_ json: JSONObject) -> [UInt8] { Array(JSONValue.object(json).compactText.utf8) }

    private static func object(_ answer: RawAnswer) -> JSONObject? { try? JSONValue(parsing: answer.body).object() }

    /// Whether an answer is a refusal in the words of a system.
    private static func isRefusal(_ answer: RawAnswer, of kind: AdapterKind) -> Bool {
        guard (400..<500).contains(answer.status) else { return false }
        return switch kind {
        case .capawesome: object(answer)?.looseText("message") != nil
        case .capgo: object(answer).map { $0.looseText("error") != nil && $0.looseText("message") != nil } ?? false
        case .chcp, .codepush: answer["content-type"] == "text/plain; charset=utf-8" && !answer.body.isEmpty
        case .ionic: (try? object(answer)?.object("error"))?.looseText("message") != nil
        case .offline: answer["content-type"] == "application/problem+json" && object(answer)?["business"] == nil
        }
    }

    private struct Sending {
        var method = "POST"
        let path: String
        let body: [UInt8]
    }

    /// Sends damaged bodies to each path, and then asks for what a good request gets.
    /// - Parameter isSound: whether an answer 200 is one of the protocol.
    private func send(
        _ kind: AdapterKind, _ requests: [Sending], isSound: @escaping @Sendable (RawAnswer) -> Bool
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(kind) { server in
            var dice = SeededGenerator(seed: seed)
            for _ in 0..<Self.count {
                let request = requests[Int.random(in: 0..<requests.count, using: &dice)]
                let body = Self.damaged(request.body, using: &dice)
                let answer = try await server.ask(request.method, request.path, body: body)
                let isAnswer = answer.status == 200 ? isSound(answer) : Self.isRefusal(answer, of: kind)
                #expect(isAnswer, "seed \(seed), \(request.path): \(String(decoding: body, as: UTF8.self)): \(answer)")
            }
            for request in requests {
                let answer = try await server.ask(request.method, request.path, body: request.body)
                #expect(answer.status == 200 && isSound(answer), "seed \(seed), \(request.path): \(answer)")
            }
        }
    }

    /// Asks for damaged paths below a place, and then for the good ones.
    /// - Parameter isSound: whether an answer 200 is one of the protocol.
    private func ask(
        _ kind: AdapterKind, below base: String, _ paths: [String],
        isRefusal: (@Sendable (RawAnswer) -> Bool)? = nil, isSound: @escaping @Sendable (RawAnswer) -> Bool
    ) async throws {
        let isRefusal = isRefusal ?? { Self.isRefusal($0, of: kind) }
        let seed = UInt64.random(in: .min ... .max)
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(kind) { server in
            var dice = SeededGenerator(seed: seed)
            for _ in 0..<Self.count {
                let path = Self.damaged(Array(paths[Int.random(in: 0..<paths.count, using: &dice)].utf8), using: &dice)
                // Nothing else may be in a request's first line.
                let sent = String(decoding: path.filter { (0x21...0x7E).contains($0) }.prefix(6_000), as: UTF8.self)
                let answer = try await server.ask("GET", base + sent)
                let isAnswer = answer.status == 200 ? isSound(answer) : isRefusal(answer)
                #expect(isAnswer, "seed \(seed), \(base)\(sent): \(answer)")
            }
            for path in paths {
                let answer = try await server.ask("GET", base + path)
                #expect(answer.status == 200 && isSound(answer), "seed \(seed), \(path): \(answer)")
            }
        }
    }

    // MARK: Paths that the server does not read

    /// Where an adapter answers.
    private static func places(_ kind: AdapterKind) -> [String] {
        let own = "/adapters/\(kind)/"
        return switch kind {
        case .capawesome: [own, "/v1/apps/"]
        case .codepush: [own, "/v0.1/public/codepush/", "/v0.1/", "/updateCheck/", "/reportStatus/"]
        case .offline: [own, "/offline/"]
        case .capgo, .chcp, .ionic: [own]
        }
    }

    @Test(arguments: AdapterKind.allCases)
    func `a path that the server does not read is refused in the words of its adapter`(kind: AdapterKind) async throws {
        let adapted = try await AdaptedShop.make()
        let ends = ["%00", "%", "%zz", "a//b", "..", "a/%2e%2e/b", "a%2fb", "a%5cb", "%ff", "/"]
        try await adapted.serving(kind) { server in
            for place in Self.places(kind) {
                for end in ends + [String(repeating: "x", count: 4_100)] {
                    let answer = try await server.ask("GET", place + end)
                    #expect(answer.status == 400 && Self.isRefusal(answer, of: kind), "\(place)\(end): \(answer)")
                    #expect(answer["access-control-allow-origin"] == "*")
                }
            }
            // All others say it as the server does.
            for path in ["/adapters/%00", "/adapters/none/%00", "/adapters/archives/%00", "/%00", "/v1/%00"] {
                let answer = try await server.ask("GET", path)
                #expect((answer.status, answer["content-type"]) == (400, "application/problem+json"), "\(path)")
            }
        }
    }

    // MARK: Capawesome

    @Test(arguments: ["/adapters/capawesome/checkout/v1/apps/", "/v1/apps/"])
    func `damaged questions of Capawesome's clients get JSON, and no crash`(base: String) async throws {
        let latest = CapawesomeTests.path(running: "=1.0.0", also: "&channelName=beta", below: "")
        try await ask(
            .capawesome, below: base, [String(latest.dropFirst()), "checkout/channels?limit=10&offset=0&query=beta"]
        ) { answer in
            if case .array = try? JSONValue(parsing: answer.body) { return true }
            return Self.object(answer)?.looseText("bundleId") != nil
        }
    }

    @Test func `damaged fetches of Capawesome's clients get a file or JSON, and no crash`() async throws {
        let files = "checkout/1.1.0/files?href="
        try await ask(
            .capawesome, below: "/adapters/capawesome/",
            [files + "capawesome-live-update-manifest.json", files + "index.html"]
        ) { $0["x-checksum"] == Digest(of: $0.body).hex }
    }

    // MARK: Hot code push

    @Test func `damaged questions of hot code push's clients get a text or a file, and no crash`() async throws {
        try await ask(
            .chcp, below: "/adapters/chcp/",
            [
                "checkout/beta/www/chcp.json", "checkout/beta/www/chcp.manifest", "checkout/1.1.0/files/app.js",
                "checkout/1.1.0/files/chcp.manifest",
            ]
        ) { $0["etag"] != nil }
    }

    // MARK: Capgo

    @Test func `damaged requests of Capgo's clients get JSON, and no crash`() async throws {
        let file: JSONObject = ["file_name": "app.js", "file_hash": "00", "download_url": "http://x/"]
        let event = CapgoTests.device(also: ["action": "set", "timestamp": 1_800_000_000_000, "metadata": .object([:])])
        let base = "/adapters/capgo/checkout/"
        let channel = Self.text(CapgoTests.device(also: ["channel": "beta"]))
        try await send(
            .capgo,
            [
                Sending(path: base + "updates", body: Self.text(CapgoTests.device(plugin: "8.0.0"))),
                Sending(
                    path: base + "updates/manifest_size",
                    body: Self.text(CapgoTests.device(also: ["version": "1.1.0", "manifest": .array([.object(file)])]))
                ),
                Sending(
                    path: base + "stats",
                    body: Array(JSONValue.array([.object(event), .object(event)]).compactText.utf8)),
                Sending(path: base + "channel_self", body: channel),
                Sending(method: "PUT", path: base + "channel_self", body: channel),
                Sending(method: "DELETE", path: base + "channel_self", body: channel),
            ]
        ) { answer in
            // A field that is null is an error to these clients.
            Self.object(answer)?.members.allSatisfy { $0.value != .null } ?? false
        }
    }

    @Test func `damaged questions for channels of Capgo's clients get JSON, and no crash`() async throws {
        try await ask(
            .capgo, below: "/adapters/capgo/", ["checkout/channel_self?device_id=d1&platform=ios&app_id=com.example"]
        ) { answer in
            if case .array = try? JSONValue(parsing: answer.body) { true } else { false }
        }
    }

    // MARK: CodePush

    @Test(arguments: [false, true])
    func `damaged checks of CodePush's clients get JSON or a text, and no crash`(isOlder: Bool) async throws {
        let names =
            isOlder
            ? ["deploymentKey", "appVersion", "isCompanion", "clientUniqueId", "packageHash"]
            : ["deployment_key", "app_version", "is_companion", "client_unique_id", "package_hash"]
        let values = ["checkout%2Fbeta", "3.2", "false", "d1", String(repeating: "0f", count: 32)]
        let query = zip(names, values).map { "\($0)=\($1)" }.joined(separator: "&") + "&label=1.0.0"
        let older = ["/updateCheck", "/adapters/codepush/updateCheck"]
        let places = isOlder ? older : [CodePushTests.base + "update_check"]
        for base in places {
            try await ask(.codepush, below: base + "?", [query]) { answer in
                let info = try? Self.object(answer)?.object(isOlder ? "updateInfo" : "update_info")
                return (try? info?.bool(isOlder ? "isAvailable" : "is_available")) != nil
            }
        }
    }

    @Test func `damaged paths of CodePush's clients get a text, and no crash`() async throws {
        let query = "update_check?deployment_key=checkout%2Fbeta&app_version=3.2"
        try await ask(.codepush, below: "/v0.1/", ["public/codepush/" + query]) { Self.object($0) != nil }
    }

    @Test func `damaged reports of CodePush's clients get a text, and no crash`() async throws {
        let report: JSONObject = [
            "deployment_key": "checkout/beta", "client_unique_id": "d1", "app_version": "3.2.0", "label": "1.1.0",
            "status": "DeploymentSucceeded", "previous_label_or_app_version": "1.0.0",
        ]
        let older: JSONObject = [
            "deploymentKey": "checkout/beta", "clientUniqueId": "d1", "appVersion": "3.2.0", "label": "1.1.0",
            "status": "DeploymentFailed", "previousLabelOrAppVersion": "1.0.0",
        ]
        try await send(
            .codepush,
            [
                Sending(path: CodePushTests.base + "report_status/deploy", body: Self.text(report)),
                Sending(path: CodePushTests.base + "report_status/download", body: Self.text(report)),
                Sending(path: "/reportStatus/deploy", body: Self.text(older)),
                Sending(path: "/reportStatus/download", body: Self.text(older)),
            ]
        ) { $0["content-type"] == "text/plain; charset=utf-8" && $0.text == "OK" }
    }

    // MARK: Appflow

    @Test func `damaged requests of Appflow's clients get JSON, and no crash`() async throws {
        let check: JSONObject = [
            "channel_name": "beta", "app_id": "checkout", "plugin_version": "5.5.3", "manifest": true,
            "device": .object([
                "binary_version": "3.2.0", "device_id": "d1", "platform": "ios", "platform_version": "17.4",
                "snapshot": "00", "build": "r1",
            ]),
        ]
        let path = "/adapters/ionic/apps/checkout/channels/check-device"
        try await send(.ionic, [Sending(path: path, body: Self.text(check))]) { answer in
            (try? Self.object(answer)?.object("data").bool("available")) != nil
        }
    }

    @Test func `damaged fetches of Appflow's clients get a file or JSON, and no crash`() async throws {
        try await ask(
            .ionic, below: "/adapters/ionic/",
            ["checkout/1.1.0/files/", "checkout/1.1.0/files/app.js", "till/1.0.0/files/js/%C3%A9%20a.js"]
        ) { $0["cache-control"] == "public, max-age=31536000, immutable" }
    }

    // MARK: Older plugins

    @Test(arguments: ["/offline/manifest.json?", "/adapters/offline/manifest.json?"])
    func `damaged questions of older plugins get a list or a problem, and no crash`(base: String) async throws {
        try await ask(
            .offline, below: base, ["channel=beta&device=d1&app=3.2.0&platform=ios&os=17&network=metered&tag=a=b"]
        ) { answer in
            guard let list = Self.object(answer) else { return false }
            return (try? list.array("common")) != nil && (try? list.array("business")) != nil
        }
    }

    @Test func `damaged paths of older plugins get a list or a problem, and no crash`() async throws {
        try await ask(.offline, below: "/offline/", ["manifest.json?channel=beta"]) {
            (try? Self.object($0)?.array("business")) != nil
        }
    }

    // MARK: Zips

    @Test func `damaged fetches of zips get a zip or a problem, and no crash`() async throws {
        try await ask(
            .codepush, below: "/adapters/archives/",
            ["checkout/1.1.0/www.zip", "checkout/1.1.0/www.from-1.0.0.zip", "till/1.0.0/site.zip"],
            isRefusal: { [400, 404].contains($0.status) && $0["content-type"] == "application/problem+json" },
            isSound: { $0.body.starts(with: [0x50, 0x4B, 3, 4]) })
    }
}
