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

    /// Sends damaged bodies to each path, and then asks for what a good request gets.
    private func send(
        _ kind: AdapterKind, _ requests: [(path: String, body: [UInt8])],
        isSound: @escaping @Sendable (RawAnswer) -> Bool
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(kind) { server in
            var dice = SeededGenerator(seed: seed)
            for _ in 0..<Self.count {
                let request = requests[Int.random(in: 0..<requests.count, using: &dice)]
                let body = Self.damaged(request.body, using: &dice)
                let answer = try await server.ask("POST", request.path, body: body)
                let isAnswer = answer.status < 500 && isSound(answer)
                #expect(isAnswer, "seed \(seed), \(request.path): \(String(decoding: body, as: UTF8.self)): \(answer)")
            }
            for request in requests {
                let answer = try await server.ask("POST", request.path, body: request.body)
                #expect(answer.status == 200, "seed \(seed), \(request.path): \(answer)")
            }
        }
    }

    /// Asks for damaged paths below a place, and then for the good ones.
    private func ask(
        _ kind: AdapterKind, below base: String, _ paths: [String], isSound: @escaping @Sendable (RawAnswer) -> Bool
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        let adapted = try await AdaptedShop.make()
        try await adapted.serving(kind) { server in
            var dice = SeededGenerator(seed: seed)
            for _ in 0..<Self.count {
                let path = Self.damaged(Array(paths[Int.random(in: 0..<paths.count, using: &dice)].utf8), using: &dice)
                // Nothing else may be in a request's first line.
                let sent = String(decoding: path.filter { (0x21...0x7E).contains($0) }.prefix(3_000), as: UTF8.self)
                let answer = try await server.ask("GET", base + sent)
                // A path that no part of the server accepts gets the server's own refusal.
                let isRefused = answer.status == 400 && answer["content-type"] == "application/problem+json"
                let isAnswer = answer.status < 500 && (isRefused || isSound(answer))
                #expect(isAnswer, "seed \(seed), \(base)\(sent): \(answer)")
            }
            for path in paths {
                let answer = try await server.ask("GET", base + path)
                #expect(answer.status == 200, "seed \(seed), \(path): \(answer)")
            }
        }
    }

    @Test func `damaged questions of Capawesome's clients get JSON or a file, and no crash`() async throws {
        let files = "checkout/1.1.0/files?href="
        try await ask(
            .capawesome, below: "/adapters/capawesome/",
            [
                CapawesomeTests.path("app", running: "=1.0.0", also: "&channelName=beta", below: "checkout/v1/apps"),
                "checkout/v1/apps/app/channels?limit=10&offset=0&query=beta",
                files + "capawesome-live-update-manifest.json", files + "index.html",
            ]
        ) { answer in
            answer.status == 200 || (try? JSONValue(parsing: answer.body).object().string("message")) != nil
        }
    }

    @Test func `damaged questions of hot code push's clients get a text or a file, and no crash`() async throws {
        try await ask(
            .chcp, below: "/adapters/chcp/",
            [
                "checkout/beta/www/chcp.json", "checkout/beta/www/chcp.manifest", "checkout/1.1.0/files/app.js",
                "checkout/1.1.0/files/chcp.manifest",
            ]
        ) { $0.status == 200 || $0["content-type"] == "text/plain; charset=utf-8" }
    }

    @Test func `damaged requests of Capgo's clients get JSON, and no crash`() async throws {
        let file: JSONObject = ["file_name": "app.js", "file_hash": "00", "download_url": "http://x/"]
        let event = CapgoTests.device(also: ["action": "set", "timestamp": 1_800_000_000_000, "metadata": .object([:])])
        let base = "/adapters/capgo/checkout/"
        try await send(
            .capgo,
            [
                (base + "updates", Self.text(CapgoTests.device(plugin: "8.0.0"))),
                (
                    base + "updates/manifest_size",
                    Self.text(CapgoTests.device(also: ["version": "1.1.0", "manifest": .array([.object(file)])]))
                ),
                (base + "stats", Array(JSONValue.array([.object(event), .object(event)]).compactText.utf8)),
                (base + "channel_self", Self.text(CapgoTests.device(also: ["channel": "beta"]))),
            ]
        ) { answer in
            guard let json = try? JSONValue(parsing: answer.body).object() else { return false }
            // A field that is null is an error to these clients.
            return json.members.allSatisfy { $0.value != .null }
                && (answer.status == 200 || json.looseText("error") != nil && json.looseText("message") != nil)
        }
    }

    @Test func `damaged reports of CodePush's clients get a text, and no crash`() async throws {
        let report: JSONObject = [
            "deployment_key": "checkout/beta", "client_unique_id": "d1", "app_version": "3.2.0", "label": "1.1.0",
            "status": "DeploymentSucceeded", "previous_label_or_app_version": "1.0.0",
        ]
        try await send(
            .codepush,
            [
                (CodePushTests.base + "report_status/deploy", Self.text(report)),
                (CodePushTests.base + "report_status/download", Self.text(report)),
            ]
        ) { $0["content-type"] == "text/plain; charset=utf-8" && !$0.body.isEmpty }
    }

    @Test func `damaged requests of Appflow's clients get JSON, and no crash`() async throws {
        let check: JSONObject = [
            "channel_name": "beta", "app_id": "checkout", "plugin_version": "5.5.3", "manifest": true,
            "device": .object([
                "binary_version": "3.2.0", "device_id": "d1", "platform": "ios", "platform_version": "17.4",
                "snapshot": "00", "build": "r1",
            ]),
        ]
        try await send(.ionic, [("/adapters/ionic/apps/checkout/channels/check-device", Self.text(check))]) { answer in
            guard let json = try? JSONValue(parsing: answer.body).object() else { return false }
            let message = (try? json.object("error"))?.looseText("message")
            return answer.status == 200 ? json["data"] != nil : message != nil
        }
    }
}
