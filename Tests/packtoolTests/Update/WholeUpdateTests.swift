import Foundation
import PackJSON
import Testing

/// What an update costs on the wire, all of it: requests, answers' headers, metadata, manifest and patch.
struct WholeUpdateTests {
    /// An application of 350 files and 7 MB, as a bundler writes it: hashed names, chunks that import each other.
    private struct App {
        let chunkCount: Int
        /// The version of each chunk that was edited.
        private var edits: [Int: Int] = [:]

        init(chunkCount: Int = 345) { self.chunkCount = chunkCount }

        mutating func edit(_ chunk: Int) { edits[chunk, default: 0] += 1 }

        var files: [String: String] {
            var files: [String: String] = [
                "index.html": """
                <!doctype html><html><head><title>App</title>
                \((0..<20).map { "<link rel=\"modulepreload\" href=\"/assets/\(name($0))\">" }.joined(separator: "\n"))
                </head><body><script type="module" src="/assets/\(name(0))"></script></body></html>
                """,
                "favicon.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>", "robots.txt": "User-agent: *\n",
                "manifest.webmanifest": "{\"name\":\"App\"}", "assets/style-1a2b3c4d.css": "body{margin:0}",
            ]
            for chunk in 0..<chunkCount { files["assets/\(name(chunk))"] = text(chunk) }
            return files
        }

        private func name(_ chunk: Int) -> String {
            var hash = UInt64(chunk + 1) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(edits[chunk] ?? 0) &* 0xD6E8_FEB8_6659_FD93
            hash ^= hash >> 32
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
            let text = (0..<7).map { place in letters[Int(hash >> UInt64(place * 8) & 0xFF) % letters.count] }
            return "chunk\(chunk)-\(String(text))4.js"
        }

        private func text(_ chunk: Int) -> String {
            var state = UInt64(chunk) &* 77 &+ 5
            func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state >> 33
            }
            // Each chunk is imported by the three before it.
            let imports = (1...3).map { chunk + $0 }.filter { $0 < chunkCount }
            var text = imports.map { "import{a as i\($0)}from\"./\(name($0))\";" }.joined()
            while text.utf8.count < 20_000 {
                text += "function f\(next() % 9999)(e,t){return e.q\(next() % 999)?t.w\(next()):\(next())}"
            }
            return text + "console.log(\"edit \(edits[chunk] ?? 0)\");export{f as a};\n"
        }
    }

    /// What went over the wire since a relay was started.
    private struct Wire {
        let tool: Tool
        let relay: RunningTool
        let url: String
        let log: String

        init(_ registry: LiveRegistry) async throws {
            tool = registry.tool
            log = "wire-\(UUID().uuidString).json"
            let port = try #require(registry.url.split(separator: ":").last.map(String.init))
            relay = try tool.startScript("counting_relay.py", port, log)
            url = try #require(await relay.line(holding: "http://127.0.0.1:"))
        }

        func cost() throws -> (byteCount: Int, requests: [String]) {
            let log = try JSONValue(parsing: Array(tool.read(log))).object("log")
            return try (
                log.integer("up") + log.integer("down"),
                log.array("requests").map { try String($0.string().split(separator: " ")[1]) }
            )
        }
    }

    private static func update(_ registry: LiveRegistry, over url: String) async throws -> Outcome {
        let outcome = try await registry.tool.run(
            "client", "update", "--store", "device", "--channel", "beta", "--root", ".packtool/root.json",
            "--registry", url)
        try #require(outcome.exitCode == 0, "\(outcome)")
        let start = try await registry.tool.run("client", "start", "--store", "device", "--package", "app")
        try #require(start.exitCode == 0, "\(start)")
        return outcome
    }

    @Test func `a one-line change in an app of 7 MB costs three requests and 3.5 KB in all`() async throws {
        let registry = try await LiveRegistry()
        var app = App()
        try await registry.publish("app", "1.0.0", files: app.files)
        _ = try await Self.update(registry, over: registry.url)
        app.edit(100)
        try await registry.publish("app", "1.0.1", files: app.files)
        let wire = try await Wire(registry)
        _ = try await Self.update(registry, over: wire.url)
        let (byteCount, requests) = try wire.cost()
        #expect(byteCount <= 3_500, "\(byteCount) bytes: \(requests)")
        #expect(requests.count <= 3, "\(requests)")
        print("a one-line change: \(requests.count) requests, \(byteCount) bytes")

        // One file brings the metadata, and one the manifest and the content.
        #expect(requests.count { $0.hasSuffix(".recent.zst") } == 1, "\(requests)")
        let patches = requests.filter { $0.hasPrefix("/patches/") }
        #expect(patches.count == 1 && patches.allSatisfy { $0.hasSuffix(".update") }, "\(requests)")
        #expect(!requests.contains { $0.hasPrefix("/objects/") || $0.hasPrefix("/targets/manifests/") })
        let sizes = try patches.map { try registry.tool.read(".packtool/registry/view\($0)").count }
        #expect(sizes.reduce(0, +) <= 128, "\(sizes)")

        let status = try await registry.tool.run("client", "status", "--store", "device", "--json")
        #expect(status.standardOutput.contains("\"1.0.1\""), "\(status)")
    }

    @Test func `an update across five versions costs one patch`() async throws {
        let registry = try await LiveRegistry()
        var app = App(chunkCount: 60)
        try await registry.publish("app", "1.0.0", files: app.files)
        _ = try await Self.update(registry, over: registry.url)
        for version in 1...5 {
            app.edit(version * 10)
            try await registry.publish("app", "1.0.\(version)", files: app.files)
        }
        let wire = try await Wire(registry)
        _ = try await Self.update(registry, over: wire.url)
        let (byteCount, requests) = try wire.cost()
        let downloads = requests.filter { $0.hasPrefix("/patches/") }
        #expect(downloads.count == 1, "\(requests)")
        #expect(downloads.allSatisfy { !$0.hasSuffix("/full.zst") })
        #expect(!requests.contains { $0.hasPrefix("/objects/") })
        #expect(byteCount <= 16 << 10, "\(byteCount) bytes: \(requests)")
    }
}
