import Foundation
import PackJSON
import Synchronization
import TestSupport
import Testing

/// A registry that is pruned again and again while versions come and go, and while devices are in the middle of an update. `PACKTOOL_LONG`
/// goes on for an hour.
@Suite(.onFolder) struct PruneLoadTests {
    enum Place: CaseIterable { case folder, storage }

    private static let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
    private static let duration: Duration = isLong ? .seconds(3_600) : .seconds(10)
    /// Seconds. A version stays for 8 days after it was offered. The clock of the prunes is ahead by all of them but this.
    private static let grace = isLong ? 30 : 6
    private static let keptCount = 3

    @Test(arguments: Place.allCases)
    func `a registry that is pruned stays bounded, and no device meets a file that is gone`(place: Place) async throws {
        let scene = try await Scene(place)
        try await scene.publish("1.0.0", on: ["beta", "stable"])
        let server = try scene.owner.start("serve", "--port", "0")
        defer { server.kill(SIGKILL) }
        let line = try #require(await server.line(holding: "http://127.0.0.1:"), "it did not start")
        let url = try String(#require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output)
        let root = try String(decoding: scene.owner.read(".packtool/root.json"), as: UTF8.self)

        let end = ContinuousClock.now + Self.duration
        let pruner = scene.pruner
        let updates = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<3 {
                group.addTask {
                    let device = try Tool(environment: ["PACKTOOL_REGISTRY": url])
                    try device.write([".packtool/root.json": root])
                    return try await Self.update(device, channel: number == 0 ? "stable" : "beta", until: end)
                }
            }
            group.addTask {
                try await pruner.run(until: end)
                return 0
            }
            try await scene.publishAll(until: end)
            return try await group.reduce(0, +)
        }

        let lost = server.log.split(separator: "\n").filter { line in
            line.contains("status=404") && !line.contains("path=/patches/") && !line.contains(".root.json")
        }
        #expect(lost.isEmpty, "\(lost.prefix(5))")
        // When nothing goes on any more, only what channels need and the newest is there.
        try await Task.sleep(for: .seconds(Self.grace + 1))
        try await pruner.prune()
        let (kept, left) = try await (scene.keptCount(), pruner.contentSize())
        let check = try await scene.owner.output(of: ["registry", "check", "--json"])
        let checked = try JSONValue(parsing: Array(check.utf8)).object("check")
        // Each has two files of its own, and all have one.
        #expect(try kept <= Self.keptCount + 4 && checked.integer("objects") == 2 * kept + 1)
        #expect(left.count < 30 * kept)
        let (removed, first, second) = pruner.seen.withLock { seen in
            let half = seen.counts.count / 2
            return (seen.removed, seen.counts.prefix(half).max() ?? 0, seen.counts.suffix(half).max() ?? 0)
        }
        #expect(removed > 0 && updates > 3)
        if Self.isLong { #expect(second < 2 * first) }
        print(
            "prune: \(scene.publishedCount) versions published, \(removed) pruned, \(updates) updates; at most \(first) files in the "
                + "first half, \(second) in the second; at the end \(kept) versions in \(left.count) files with \(left.bytes) bytes"
        )
    }

    /// A device that is stopped in the middle of each second update, as by a phone in a pocket, but not longer than it may go by what
    /// it was shown.
    /// - Returns: how often it had another version than before.
    private static func update(_ device: Tool, channel: String, until end: ContinuousClock.Instant) async throws -> Int
    {
        var title = ""
        var count = 0
        while ContinuousClock.now < end {
            let running = try device.start("client", "update", "--store", "store", "--channel", channel)
            if Bool.random() {
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...150)))
                running.kill(SIGSTOP)
                try await Task.sleep(for: .seconds(Double.random(in: 0...Double(grace) * 0.6)))
                running.kill(SIGCONT)
            }
            let outcome = await running.outcome()
            #expect([0, 2].contains(outcome.exitCode), "\(outcome)")
            let started = try await device.run("client", "start", "--store", "store", "--json")
            let folder = try started.json().object().object("packages").object("shop").string("folder")
            let page = try String(contentsOf: URL(filePath: "\(folder)/index.html"), encoding: .utf8)
            let confirmed = try await device.run("client", "confirm", "--store", "store", "--package", "shop")
            #expect([0, 2].contains(confirmed.exitCode), "\(confirmed)")
            if page != title { count += 1 }
            title = page
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...1_500)))
        }
        return count
    }

    /// The owner's folder, and what is published.
    private final class Scene {
        let owner: Tool
        let pruner: Pruner
        private(set) var publishedCount = 0

        init(_ place: Place) async throws {
            var storage: ToolStorage?
            var environment: [String: String] = [:]
            switch place {
            case .folder:
                owner = try Tool()
                environment["PACKTOOL_REGISTRY"] = owner.folder.appending(path: ".packtool/registry").path
            case .storage:
                let bucket = try await ToolStorage()
                storage = bucket
                (_, _, owner) = try await Tool.onPostgres()
                owner.environment.merge(bucket.environment) { $1 }
                environment = owner.environment.filter { $0.key.hasPrefix("PACKTOOL_") || $0.key.hasPrefix("AWS_") }
                environment["PACKTOOL_FILES"] = owner.folder.appending(path: "files").path
            }
            pruner = Pruner(view: owner.folder.appending(path: ".packtool/registry/view").path, storage, environment)
            try await owner.output(of: ["init", "--template", "config", "--app", "shop"])
        }

        func publish(_ version: String, on channels: [String]) async throws {
            let text = (0..<500).map { "step(\($0), '\(version) \(UInt64.random(in: .min ... .max))');" }
            try owner.write([
                "dist/index.html": "<title>\(version)</title>", "dist/app.js": text.joined(separator: "\n"),
                "dist/same.js": "// in all",
            ])
            try await owner.output(of: ["build", "dist", "--package", "shop", "--package-version", version, "--quiet"])
            let arguments = ["publish", "packages/shop-\(version).zip", "--no-wait", "--yes", "--new-channel"]
            while true {
                let outcome = try await owner.run(arguments + channels.flatMap { ["--channel", $0] })
                if outcome.exitCode == 0 { break }
                // By the clock of the prunes an upload that is on its way is eight days old.
                let words = ["upload the package first", "upload the package again"]
                try #require(words.contains { outcome.standardError.contains($0) }, "\(outcome)")
            }
            try FileManager.default.removeItem(at: owner.folder.appending(path: "packages/shop-\(version).zip"))
        }

        /// Versions, on the second channel now and then, and rollbacks.
        func publishAll(until end: ContinuousClock.Instant) async throws {
            while ContinuousClock.now < end {
                publishedCount += 1
                let channels = publishedCount.isMultiple(of: 4) ? ["beta", "stable"] : ["beta"]
                try await publish("1.0.\(publishedCount)", on: channels)
                if publishedCount.isMultiple(of: 7) {
                    try await owner.output(of: ["rollback", "shop", "--channel", "beta", "--yes"])
                }
                // 64 versions of each document stay: a device may stand still while fewer come.
                try await Task.sleep(for: .milliseconds(Int.random(in: isLong ? 1_500...4_500 : 200...1_000)))
            }
        }

        /// Versions that have their files.
        func keptCount() async throws -> Int {
            let status = try await owner.run("status", "--json").json().object()
            return try status.object("packages").array("shop").count { try $0.object("version")["pruned"] == nil }
        }
    }

    /// Prunes by a clock that is eight days ahead.
    private final class Pruner: Sendable {
        /// The versions that lost their files, and how many files there were after each prune.
        let seen = Mutex((removed: 0, counts: [Int]()))
        private let view: String
        private let storage: ToolStorage?
        private let environment: [String: String]

        init(view: String, _ storage: ToolStorage?, _ environment: [String: String]) {
            self.view = view
            self.storage = storage
            self.environment = environment
        }

        func run(until end: ContinuousClock.Instant) async throws {
            while ContinuousClock.now < end {
                try await prune()
                try await Task.sleep(for: .milliseconds(isLong ? 3_000 : 1_000))
            }
        }

        func prune() async throws {
            let tool = try Tool(environment: environment)
            let arguments = ["registry", "prune", "--keep", "\(keptCount)", "--days", "8", "--yes", "--json"]
            let outcome = try await tool.start(arguments, clock: 8 * 86_400 - grace).outcome()
            try outcome.expectSuccess()
            let removed = try outcome.json().object().array("versions").count
            let count = try await contentSize().count
            seen.withLock { seen in
                seen.removed += removed
                seen.counts.append(count)
            }
        }

        /// The files whose number must not grow with what was published.
        func contentSize() async throws -> (count: Int, bytes: Int) {
            let folders = ["objects", "patches", "packages"]
            if let storage { return try await storage.size(of: folders, with: Tool()) }
            var (count, bytes) = (0, 0)
            for folder in folders {
                // Some go while it is looked at.
                let walk = FileManager.default.enumerator(atPath: "\(view)/\(folder)")
                while walk?.nextObject() != nil {
                    guard let file = walk?.fileAttributes, file[.type] as? FileAttributeType == .typeRegular else {
                        continue
                    }
                    count += 1
                    bytes += file[.size] as? Int ?? 0
                }
            }
            return (count, bytes)
        }
    }
}
