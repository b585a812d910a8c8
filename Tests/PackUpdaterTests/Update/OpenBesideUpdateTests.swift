import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// Pages of packages that are not here open while an update downloads, and do not wait for it.
struct OpenBesideUpdateTests {
    let registry: TestRegistry
    let device: TestDevice
    let shop: PackageID
    let news: PackageID
    let shopOne: VersionID
    let newsOne: VersionID

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        shop = try PackageID("checkout")
        news = try PackageID("news")
        shopOne = try registry.publish("checkout", "1.0.0", ["index.html": "shop one", "a.js": "aaaa", "b.js": "bbbb"])
        newsOne = try registry.publish("news", "1.0.0", ["index.html": "news one", "n.js": "nnnn"])
        try registry.release("checkout", shopOne, release: "r1")
        try registry.release("news", newsOne, release: "r1")
    }

    /// A network on which some downloads stand still until they are let go.
    actor SlowNetwork: UpdateTransport {
        private let inner: FolderTransport
        private var held: Set<String>
        private(set) var asked: [String] = []

        init(_ view: URL, holding held: [String]) {
            inner = FolderTransport(folder: view)
            self.held = Set(held)
        }

        func letGo() { held = [] }

        func waitUntilAsked(for path: String) async throws {
            for _ in 0..<500 where !asked.contains(path) { try await Task.sleep(for: .milliseconds(20)) }
            try #require(asked.contains(path))
        }

        private func pass(_ path: String) async throws {
            asked.append(path)
            while held.contains(path) { try await Task.sleep(for: .milliseconds(10)) }
        }

        func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
            try await pass(path)
            return try await inner.read(path, maximumByteCount: maximumByteCount, validator: validator)
        }

        func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
            try await pass(path)
            return try await inner.download(path, to: file, maximumByteCount: maximumByteCount)
        }
    }

    private func open(_ package: PackageID, by updater: Updater) async throws -> PackageSession {
        let opened = try await updater.open(package)
        guard case .installing(let session) = opened else {
            Issue.record("\(opened)")
            throw CancellationError()
        }
        return session
    }

    private static func text(_ path: String, of session: PackageSession) async throws -> String {
        let digest = try #require(session.manifest.files[PackagePath(path)]).digest
        try await session.fetch(digest)
        return try String(contentsOf: session.file(for: digest), encoding: .utf8)
    }

    private func waitUntilWhole(_ session: PackageSession) async throws {
        for _ in 0..<1000 where session.isInstalling { try await Task.sleep(for: .milliseconds(20)) }
        try #require(!session.isInstalling, "it is not whole")
    }

    private func leftovers() throws -> [String] {
        try device.listing().filter { $0.hasPrefix("arriving/") || $0.hasPrefix("downloads/") }
    }

    @Test func `a page of another package has its files before the update is over`() async throws {
        let whole = ViewPath.patch(from: nil, to: newsOne.manifest).description
        let network = SlowNetwork(registry.view, holding: [whole])
        let updater = try device.updater(transport: network)
        let updated = Task { [news] in try await updater.update(.list([news])) }
        try await network.waitUntilAsked(for: whole)
        let session = try await open(shop, by: updater)
        #expect(try await Self.text("index.html", of: session) == "shop one")
        await network.letGo()
        #expect(try await updated.value.entries.map(\.outcome) == [.activated(newsOne.version)])
        try await waitUntilWhole(session)
        #expect(try device.state("checkout").active?.id == shopOne)
        #expect(try leftovers() == [])
    }

    @Test func `a page of the package that the update installs has its files, and is its first start`() async throws {
        let whole = ViewPath.patch(from: nil, to: shopOne.manifest).description
        let network = SlowNetwork(registry.view, holding: [whole])
        let updater = try device.updater(transport: network)
        let updated = Task { try await updater.update(.all) }
        try await network.waitUntilAsked(for: whole)
        let session = try await open(shop, by: updater)
        #expect(try await Self.text("a.js", of: session) == "aaaa")
        await network.letGo()
        #expect(try await updated.value.failures.isEmpty)
        try await waitUntilWhole(session)
        let active = try #require(try device.state("checkout").active)
        #expect(active.id == shopOne && active.starts == 1 && active.loads == [session.loadToken])
        try await updater.confirm(shop, version: session.version, loadToken: session.loadToken)
        #expect(await network.asked.filter { $0 == whole }.count == 1)
        #expect(try leftovers() == [])
    }

    @Test func `what nothing needs any more goes when no page fetches, and nothing of the page goes`() async throws {
        try await device.updater().update(.list([news]))
        try await device.confirm("news")
        let two = try registry.publish("news", "2.0.0", ["index.html": "news two", "n.js": "nnnn"])
        try registry.release("news", two, release: "r2")
        try await device.updater().update(.list([news]))
        try await device.confirm("news")
        let three = try registry.publish("news", "3.0.0", ["index.html": "news three", "n.js": "nnnn"])
        try registry.release("news", three, release: "r3")
        let script = ViewPath.object(Digest(of: Array("bbbb".utf8))).description
        let network = SlowNetwork(registry.view, holding: [script])
        let updater = try device.updater(transport: network)
        let session = try await open(shop, by: updater)
        let late = Task { try await Self.text("b.js", of: session) }
        try await network.waitUntilAsked(for: script)
        let updated = Task { [news] in try await updater.update(.list([news])) }
        #expect(try await updated.value.entries.map(\.outcome) == [.activated(three.version)])
        await network.letGo()
        #expect(try await late.value == "bbbb")
        try await waitUntilWhole(session)
        #expect(try await device.page("checkout", "b.js", by: updater) == "bbbb")
        for _ in 0..<200 where try !leftovers().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        let trees = try device.listing().filter { $0.hasPrefix("unzipFiles/news/") && $0.hasSuffix("/index.html") }
        #expect(trees == ["unzipFiles/news/2.0.0/index.html", "unzipFiles/news/3.0.0/index.html"])
        #expect(try leftovers() == [])
    }

    @Test func `work that has to be alone waits for nobody, and what comes meanwhile waits for it`() async throws {
        let store = try DeviceStore(folder: device.store)
        let turn = UpdateTurn(store: store, patience: .seconds(5))
        let order = Locked<[String]>([])
        try await turn.hold {
            let isBeside = try await turn.hold {
                try await turn.alone {
                    order.withLock { $0.append("last") }
                } _: {
                    order.withLock { $0.append("never") }
                }
            }
            #expect(!isBeside)
            let late = Task { () -> Void in
                for _ in 0..<500 where order.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
                try await turn.hold { order.withLock { $0.append("late") } }
            }
            let isDone = try await turn.alone {
            } _: {
                order.withLock { $0.append("begin") }
                try await Task.sleep(for: .milliseconds(200))
                order.withLock { $0.append("end") }
            }
            #expect(isDone)
            try await late.value
        }
        #expect(order.withLock { $0 } == ["begin", "end", "late"])
        for _ in 0..<500 where order.withLock({ $0.count < 4 }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(order.withLock { $0 } == ["begin", "end", "late", "last"])
        try await turn.hold {}
    }

    @Test func `a second update waits for the first, whose end it does not hear of`() async throws {
        let whole = ViewPath.patch(from: nil, to: newsOne.manifest).description
        let network = SlowNetwork(registry.view, holding: [whole])
        device.configuration.patience = .milliseconds(100)
        let updater = try device.updater(transport: network)
        let first = Task { [news] in try await updater.update(.list([news])) }
        try await network.waitUntilAsked(for: whole)
        let second = Task { [news] in try await updater.update(.list([news])) }
        try await Task.sleep(for: .milliseconds(400))
        await network.letGo()
        #expect(try await first.value.entries.map(\.outcome) == [.activated(newsOne.version)])
        #expect(try await second.value.entries.map(\.outcome) == [.upToDate(newsOne.version)])
    }
}
