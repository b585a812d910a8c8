import Foundation
import PackFormat
import PackJSON
import PackSystem
import Synchronization
import Testing

@testable import PackUpdater

/// What a device keeps to be reported, and when it sends it.
@Suite("ReportOutboxTests") struct ReportOutboxTests {
    /// A clock that tests move, and a registry that answers what they say.
    private final class Scene: Sendable, ReportTransport {
        let time = Mutex(1_800_000_000)
        let answers = Mutex<[Int]>([])
        let bodies = Mutex<[ReportBatch]>([])
        let folder: URL

        init() throws {
            folder = try Folders.temporary("outbox").appending(path: "reports")
        }

        var outbox: ReportOutbox {
            ReportOutbox(folder: folder, settings: ReportSettings(includesFacts: true)) { [self] in
                Date(timeIntervalSince1970: Double(time.withLock { $0 }))
            }
        }

        func advance(_ seconds: Int) { time.withLock { $0 += seconds } }

        func post(_ body: [UInt8], to address: URL) async throws -> (status: Int, retryAfter: Int?) {
            let batch = try ReportBatch(parsing: body)
            bodies.withLock { $0.append(batch) }
            let status = answers.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
            if status == 0 { throw CancellationError() }
            return (status, status == 429 ? 7200 : nil)
        }

        func send() async throws -> Int {
            let address = try #require(URL(string: "https://packages.example.com/v1/reports"))
            let sender = try ReportSender(
                outbox: outbox, address: address, channel: ChannelName("beta"), transport: self)
            return try await sender.send(at: time.withLock { $0 })
        }

        func add(_ count: Int = 1, _ code: ReportEvent.Code = .repaired) throws {
            for _ in 0..<count {
                try outbox.add(code, PackageID("checkout"), SemanticVersion("1.0.0"), release: "r1")
            }
        }

        var waiting: [Int] {
            get throws { try outbox.pending()?.events.map(\.sequence) ?? [] }
        }
    }

    @Test func `events are numbered without a gap, sent in batches, and no number is used twice`() async throws {
        let scene = try Scene()
        try scene.add(3)
        #expect(try await scene.send() == 3)
        #expect(try scene.waiting.isEmpty)
        try scene.add(2)
        #expect(try scene.waiting == [4, 5])
        try scene.add(600)
        #expect(try await scene.send() == 602)
        #expect(scene.bodies.withLock { $0.map(\.events.count) } == [3, 500, 102])
        #expect(Set(scene.bodies.withLock { $0.map(\.sender) }).count == 1)
    }

    @Test func `an answer that never came is made good, and the same events go once more`() async throws {
        let scene = try Scene()
        try scene.add(2)
        scene.answers.withLock { $0 = [0] }
        await #expect(throws: CancellationError.self) { try await scene.send() }
        try scene.add()
        #expect(try await scene.send() == 0, "not at once")
        scene.advance(901)
        #expect(try await scene.send() == 3)
        #expect(scene.bodies.withLock { $0.map { $0.events.map(\.sequence) } } == [[1, 2], [1, 2, 3]])
    }

    @Test func `a busy server is asked later and later, and as late as it says`() async throws {
        let scene = try Scene()
        try scene.add()
        scene.answers.withLock { $0 = [429, 503, 503] }
        #expect(try await scene.send() == 0)
        scene.advance(7199)
        _ = try await scene.send()
        #expect(scene.bodies.withLock { $0.count } == 1)
        scene.advance(1)
        _ = try await scene.send()
        scene.advance(1799)
        _ = try await scene.send()
        #expect(scene.bodies.withLock { $0.count } == 2)
        #expect((1...12).map { ReportIdentity.pause(afterFailures: $0) }.last == 86_400)
        #expect(ReportIdentity.pause(afterFailures: .max) == 86_400)
    }

    @Test func `what a registry refuses for good does not stand before the rest for ever`() async throws {
        let scene = try Scene()
        try scene.add(2)
        scene.answers.withLock { $0 = [400] }
        #expect(try await scene.send() == 0)
        try scene.add()
        #expect(try scene.waiting == [3])
        #expect(try await scene.send() == 1)
    }

    @Test func `an outbox is bounded, and drops its older half`() throws {
        let scene = try Scene()
        var outbox = scene.outbox
        outbox.maximumByteCount = 4096
        for _ in 0..<200 {
            try outbox.add(.repaired, PackageID("checkout"), SemanticVersion("1.0.0"), release: "r1")
        }
        let size = try #require(Durable.size(of: scene.folder.appending(path: "outbox.jsonl")))
        #expect(size <= 4096)
        #expect(try scene.waiting.last == 200)
        #expect(try scene.waiting.count > 5)
    }

    @Test func `after seven days an event is not sent any more`() async throws {
        let scene = try Scene()
        try scene.add()
        scene.advance(6 * 86_400)
        try scene.add()
        #expect(try scene.waiting == [1, 2])
        scene.advance(2 * 86_400)
        #expect(try scene.waiting == [2])
        #expect(try await scene.send() == 1)
        #expect(scene.bodies.withLock { $0.last?.events.map(\.sequence) } == [2])
    }

    @Test func `a new id comes after thirty days, when all is sent and no version waits`() async throws {
        let scene = try Scene()
        try scene.add()
        let first = try #require(try scene.outbox.pending()?.identity.id)
        func id() throws -> ReportID? { try scene.outbox.pending()?.identity.id }
        scene.advance(29 * 86_400)
        try scene.outbox.renewIdentity(isSettled: true)
        #expect(try id() == first)
        scene.advance(2 * 86_400)
        try scene.add()
        try scene.outbox.renewIdentity(isSettled: true)
        #expect(try id() == first, "an event waits")
        _ = try await scene.send()
        try scene.outbox.renewIdentity(isSettled: false)
        #expect(try id() == first, "a version waits")
        try scene.outbox.renewIdentity(isSettled: true)
        let second = try #require(try id())
        #expect(second != first)
        try scene.add()
        #expect(try scene.waiting == [1], "the numbers begin anew: they would link the two")
        scene.advance(38 * 86_400)
        try scene.outbox.renewIdentity(isSettled: false)
        #expect(try id() != second, "at last it is renewed all the same")
        #expect(try scene.waiting.isEmpty)
    }

    @Test func `a line that was torn, and a damaged identity, cost only themselves`() throws {
        let scene = try Scene()
        try scene.add(2)
        let file = scene.folder.appending(path: "outbox.jsonl")
        let bytes = try Data(contentsOf: file)
        try (bytes + Data(#"{"sequence": 3, "co"#.utf8)).write(to: file)
        try scene.add()
        #expect(try scene.waiting == [1, 2, 3])
        let first = try #require(try scene.outbox.pending()?.identity.id)
        try Data("{".utf8).write(to: scene.folder.appending(path: "identity.json"))
        try scene.add()
        #expect(try #require(try scene.outbox.pending()).identity.id != first)
        #expect(try scene.waiting == [1, 2, 3, 4])
    }

    @Test func `events of two channels go in two batches, each under its own channel`() async throws {
        let scene = try Scene()
        let (beta, stable) = try (ChannelName("beta"), ChannelName("stable"))
        for channel in [nil, beta, stable, stable, beta] {
            try scene.outbox.add(
                .repaired, PackageID("checkout"), SemanticVersion("1.0.0"), release: "r1", channel: channel)
        }
        #expect(try await scene.send() == 5)
        // What does not say its channel is of an earlier program, and of the present channel.
        #expect(scene.bodies.withLock { $0.map(\.channel) } == [beta, stable, beta])
        #expect(scene.bodies.withLock { $0.map { $0.events.map(\.sequence) } } == [[1, 2], [3, 4], [5]])
    }

    @Test func `what a device has and is is said once, when it changes, once a week, and under each new id`()
        async throws
    {
        let scene = try Scene()
        let beta = try ChannelName("beta")
        var facts = ReportFacts(platform: "ios", osVersion: "17.4", appVersion: "3.2")
        func tell(_ version: String = "1.0.0") throws -> Int {
            let before = try scene.waiting.count
            let presence = try ReportOutbox.Presence(
                package: PackageID("checkout"), version: SemanticVersion(version), release: "r1")
            scene.outbox.tell([presence], facts, channel: beta)
            return try scene.waiting.count - before
        }
        #expect(try tell() == 1)
        #expect(try tell() == 0)
        let event = try #require(try scene.outbox.pending()?.events.last)
        #expect(event.code == .present && event.facts == facts && event.release == "r1")
        facts.appVersion = "3.3"
        #expect(try tell() == 1)
        #expect(try tell("1.1.0") == 1)
        scene.advance(6 * 86_400)
        #expect(try tell("1.1.0") == 0)
        scene.advance(86_400)
        #expect(try tell("1.1.0") == 1)
        _ = try await scene.send()
        #expect(
            scene.bodies.withLock { $0.last?.events.compactMap(\.facts?.appVersion) } == ["3.2", "3.3", "3.3", "3.3"])
        _ = try scene.outbox.reset()
        #expect(try tell("1.1.0") == 1, "under a new id")
        let file = scene.folder.appending(path: "told.json")
        try Data("{".utf8).write(to: file)
        #expect(try tell("1.1.0") == 1, "what is damaged costs one event")
        #expect(try tell("1.1.0") == 0)
        let forbidden = ReportOutbox(folder: scene.folder, settings: ReportSettings()) {
            Date(timeIntervalSince1970: 0)
        }
        #expect(try forbidden.pending()?.events.isEmpty == true, "what waits is not sent once facts are off")
        forbidden.dropFacts()
        #expect(try scene.waiting.isEmpty && tell("1.1.0") == 1, "and it is gone: who may say it again does")
        // A clock that was ahead.
        scene.advance(-86_400)
        #expect(try tell("1.1.0") == 1)
    }

    @Test func `of many packages some are said with each sending`() throws {
        let scene = try Scene()
        let presences = try (0..<120).map {
            try ReportOutbox.Presence(package: PackageID("p\($0)"), version: SemanticVersion("1.0.0"), release: nil)
        }
        let beta = try ChannelName("beta")
        for count in [50, 100, 120, 120] {
            scene.outbox.tell(presences, ReportFacts(), channel: beta)
            #expect(try scene.waiting.count == count)
        }
    }

    @Test func `what waits is read under the lock, so that two ids never mix`() async throws {
        let scene = try Scene()
        try scene.add()
        let first = try #require(try scene.outbox.pending()).identity.id
        let read: Task<ReportOutbox.Pending?, any Error>
        do {
            let lock = try Durable.lock(scene.folder.appending(path: "lock"), .exclusive)
            defer { withExtendedLifetime(lock) {} }
            let outbox = scene.outbox
            read = Task.detached { try outbox.pending() }
            try await Task.sleep(for: .milliseconds(100))
            // Another process makes a new id, and has removed no event yet.
            var bytes = try #require(
                String(data: Data(contentsOf: scene.folder.appending(path: "identity.json")), encoding: .utf8))
            bytes = bytes.replacing(first.text, with: String(repeating: "7", count: first.text.count))
            try Data(bytes.utf8).write(to: scene.folder.appending(path: "identity.json"))
            try FileManager.default.removeItem(at: scene.folder.appending(path: "outbox.jsonl"))
        }
        let pending = try #require(try await read.value)
        #expect(pending.identity.id != first && pending.events.isEmpty)
    }

    @Test func `an outbox without events sends nothing, and looking at one that is not there makes no file`()
        async throws
    {
        let scene = try Scene()
        #expect(
            try scene.outbox.pending()?.identity == nil && !FileManager.default.fileExists(atPath: scene.folder.path))
        try scene.add()
        scene.advance(8 * 86_400)
        #expect(try await scene.send() == 0)
        #expect(scene.bodies.withLock { $0.isEmpty })
    }

    // MARK: An updater

    @Test func `after a switch of the channel, what happens is reported for the new one`() async throws {
        let registry = try TestRegistry()
        let device = try TestDevice(registry)
        device.configuration.reports = ReportSettings()
        let one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        try registry.release("checkout", one, release: "r1")
        let updater = try device.updater()
        try await updater.update(.all)
        let stable = try ChannelName("stable")
        await updater.setChannel(stable)
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        let release = try Release(id: "s1", offer: .version(two.version, manifest: two.manifest))
        let file = try ChannelFile(
            app: registry.app, channel: stable, packages: [PackageID("checkout"): .init(releases: [release])])
        try registry.put(file.bytes, registry.signed, ViewLayout.channelTarget(stable))
        try await updater.update(.all)
        func channel() async throws -> ReportBatch {
            let text = try #require(try await updater.pendingReport())
            return try ReportBatch(parsing: Array(text.utf8))
        }
        let first = try await channel()
        #expect(first.channel == registry.channel && first.events.allSatisfy { $0.release == "r1" })
        let outbox = ReportOutbox(folder: device.store.appending(path: "reports"), settings: ReportSettings()) {
            Date()
        }
        try outbox.remove(through: try #require(first.events.last).sequence, of: first.sender)
        let second = try await channel()
        #expect(second.channel == stable && second.events.map(\.release).contains("s1"))
    }

    private static func codes(_ device: TestDevice) throws -> [String] {
        let file = device.store.appending(path: "reports/outbox.jsonl")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return try text.split(separator: "\n").map { line in
            let json = try JSONValue(parsing: String(line)).object()
            let version = try json["version"].map { try $0.string("version") } ?? "-"
            let fault = try json["error"].map { try " \($0.string("error"))" } ?? ""
            return try "\(json.string("code")) \(version) \(json["release"]?.string("release") ?? "-")\(fault)"
        }
    }

    @Test func `a version's life is reported with its release, from the offer to the confirmation`() async throws {
        let registry = try TestRegistry()
        let device = try TestDevice(registry)
        device.configuration.reports = ReportSettings()
        let one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
        try await device.confirm("checkout")
        let two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", two, release: "r2")
        try await device.updater().update(.all)
        for _ in 0..<3 { _ = try await device.page("checkout") }
        #expect(
            try Self.codes(device) == [
                "offered 1.0.0 r1", "downloaded 1.0.0 r1", "installed 1.0.0 r1", "activated 1.0.0 r1",
                "confirmed 1.0.0 r1", "offered 1.1.0 r2", "downloaded 1.1.0 r2", "installed 1.1.0 r2",
                "activated 1.1.0 r2", "failed 1.1.0 r2 neverConfirmed", "rolledBack 1.1.0 r2",
            ])
        let shown = try #require(try await device.updater().pendingReport())
        let batch = try ReportBatch(parsing: Array(shown.utf8))
        #expect(batch.events.first { $0.code == .downloaded }?.wireByteCount ?? 0 > 0)
        #expect(!shown.contains("index.html") && !shown.contains("/"), "no path, no address: \(shown)")
    }

    @Test func `without the app's word nothing is kept and nothing is sent`() async throws {
        let registry = try TestRegistry()
        let device = try TestDevice(registry)
        let one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        try registry.release("checkout", one, release: "r1")
        let updater = try device.updater()
        try await updater.update(.all)
        #expect(await updater.sendReports() == 0)
        #expect(try await updater.pendingReport() == nil)
        #expect(try device.listing().filter { $0.hasPrefix("reports") }.isEmpty)
    }
}
