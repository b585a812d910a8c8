import Foundation
import PackFormat
import Synchronization
import Testing

@testable import PackUpdater

/// A package that is not here installs itself while its pages use it.
struct ArrivalTests {
    let registry: TestRegistry
    let device: TestDevice
    let one: VersionID
    let shop: PackageID
    static let files = ["index.html": "one", "a.js": "aaaa", "b.js": "bbbb", "c.js": "cccc"]

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        shop = try PackageID("checkout")
        one = try registry.publish("checkout", "1.0.0", Self.files)
        try registry.release("checkout", one, release: "r1")
    }

    /// A network that can be taken away, and that lies where it is told to.
    final class Network: UpdateTransport {
        let inner: WatchedTransport
        private let isAway = Mutex(false)

        init(_ registry: TestRegistry, _ rewrite: @escaping @Sendable (String, [UInt8]) throws -> [UInt8]? = { $1 }) {
            inner = WatchedTransport(FolderTransport(folder: registry.view), rewrite: rewrite)
        }

        func goAway(_ away: Bool = true) { isAway.withLock { $0 = away } }

        private func check() throws {
            if isAway.withLock({ $0 }) { throw UpdateError.unreachable(address: "registry", reason: "it is away") }
        }

        func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
            try check()
            return try await inner.read(path, maximumByteCount: maximumByteCount, validator: validator)
        }

        func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
            try check()
            return try await inner.download(path, to: file, maximumByteCount: maximumByteCount)
        }
    }

    func open(_ updater: Updater) async throws -> PackageSession {
        let opened = try await updater.open(shop)
        guard case .installing(let session) = opened else {
            Issue.record("\(opened)")
            throw CancellationError()
        }
        return session
    }

    /// What a page reads of a file that it asks for.
    func text(_ path: String, of session: PackageSession) async throws -> String {
        let digest = try #require(session.manifest.files[PackagePath(path)]).digest
        try await session.fetch(digest)
        return try String(contentsOf: session.file(for: digest), encoding: .utf8)
    }

    func digest(_ text: String) -> Digest { Digest(of: Array(text.utf8)) }

    func waitUntilWhole(_ session: PackageSession) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while session.isInstalling, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        try #require(!session.isInstalling, "it is not whole")
    }

    func why(_ updater: Updater) async throws -> String {
        guard case .unavailable(let absence) = try await updater.open(shop) else {
            Issue.record("it has a page")
            return ""
        }
        return absence.why
    }

    @Test func `what the page asks for comes first, then the rest, and the version is active`() async throws {
        let network = Network(registry)
        let updater = try device.updater(transport: network)
        let session = try await open(updater)
        #expect(try await text("index.html", of: session) == "one")
        #expect(await network.inner.paths.first == ViewPath.object(digest("one")).description)
        try await waitUntilWhole(session)
        #expect(await network.inner.paths.contains(ViewPath.patch(from: nil, to: one.manifest).description))
        let active = try #require(try device.state("checkout").active)
        #expect(active.id == one && !active.isConfirmed && active.starts == 1)
        // The page's next request, and its next load, are of the same start.
        #expect(try await text("c.js", of: session) == "cccc")
        #expect(try await updater.open(shop).session === session)
        try await updater.confirm(shop, version: session.version, loadToken: session.loadToken)
        #expect(try device.state("checkout").active?.isConfirmed == true)
        // Without the network.
        try FileManager.default.removeItem(at: registry.view)
        for (path, content) in Self.files { #expect(try await device.page("checkout", path) == content) }
        #expect(try device.listing().filter { $0.hasPrefix("arriving/") || $0.hasPrefix("downloads/") } == [])
    }

    @Test func `what only frames show while it comes has no start, no time to confirm, and nothing to confirm with`()
        async throws
    {
        let uptime = Locked(Duration.seconds(5))
        device.configuration.readyDeadline = .seconds(10)
        device.configuration.uptime = { uptime.withLock { $0 } }
        let updater = try device.updater()
        guard case .installing(let framed) = try await updater.prepare(shop) else {
            Issue.record("it is here")
            return
        }
        #expect(try await text("index.html", of: framed) == "one")
        try await waitUntilWhole(framed)
        #expect(try device.state("checkout").active?.starts == 0)
        await #expect(throws: UpdateError.self) {
            try await updater.confirm(shop, version: framed.version, loadToken: framed.loadToken)
        }
        uptime.withLock { $0 += .seconds(3600) }
        let page = try #require(try await updater.open(shop).session)
        #expect(try device.state("checkout").active?.starts == 1)
        try await updater.confirm(shop, version: page.version, loadToken: page.loadToken)
        #expect(try device.state("checkout").active?.isConfirmed == true)
    }

    @Test func `a page that opens what a frame began is its first start`() async throws {
        let updater = try device.updater()
        let framed = try await updater.prepare(shop).session
        let session = try await open(updater)
        #expect(framed === session)
        try await waitUntilWhole(session)
        #expect(try device.state("checkout").active?.starts == 1)
        try await updater.confirm(shop, version: session.version, loadToken: session.loadToken)
    }

    @Test func `little that is missing comes by single objects`() async throws {
        var files = Self.files
        for number in 0..<9 { files["large\(number).js"] = String(repeating: "\(number)", count: 20_000) }
        let two = try registry.publish("checkout", "2.0.0", files)
        try registry.release("checkout", two, release: "r2")
        let network = Network(registry)
        let updater = try device.updater(transport: network)
        let session = try await open(updater)
        for number in 0..<9 { _ = try await text("large\(number).js", of: session) }
        try await waitUntilWhole(session)
        let paths = await network.inner.paths
        #expect(paths.count == files.count && paths.allSatisfy { $0.hasPrefix("objects/") })
    }

    @Test func `a word that comes before all is here counts when it is`() async throws {
        let updater = try device.updater()
        let session = try await open(updater)
        _ = try await text("index.html", of: session)
        try await updater.confirm(shop, version: session.version, loadToken: session.loadToken)
        try await waitUntilWhole(session)
        #expect(try device.state("checkout").active?.isConfirmed == true)
        await #expect(throws: UpdateError.self) {
            try await updater.confirm(shop, version: SemanticVersion("1.0.1"), loadToken: session.loadToken)
        }
    }

    @Test func `an object of other bytes never reaches the store, whichever way it comes`() async throws {
        let updater = try device.updater(
            transport: Network(registry) { path, bytes in
                path.hasPrefix("objects/") ? bytes.map { _ in UInt8(ascii: "x") } : nil
            })
        let session = try await open(updater)
        await #expect(throws: UpdateError.self) { try await text("index.html", of: session) }
        try await Task.sleep(for: .seconds(1))
        await #expect(throws: UpdateError.self) { try await text("a.js", of: session) }
        #expect(session.isInstalling)
        #expect(try device.listing().filter { $0.hasPrefix("objects/") || $0.hasPrefix("unzipFiles/") } == [])
        #expect(try device.state("checkout").active == nil)
    }

    @Test func `without a manifest that its publisher signed there is no page`() async throws {
        let refused = try device.updater(trust: .notTrusted(reason: "a forged timestamp"))
        #expect(try await why(refused).contains("a forged timestamp"))
        try registry.withdraw("checkout", one)
        #expect(try await why(device.updater()).contains("its publisher does not list it, or withdrew it"))
        try registry.release("checkout", nil, release: "r2")
        _ = try await why(device.updater())
        let unknown = try await device.updater().open(PackageID("other"))
        guard case .unavailable(let absence) = unknown else {
            Issue.record("\(unknown)")
            return
        }
        #expect(absence.why.contains("does not have the package"))
        #expect(try device.listing().filter { $0.hasPrefix("objects/") || $0.hasPrefix("unzipFiles/") } == [])
    }

    @Test func `an app that is too old gets no page of a version that requires more`() async throws {
        let two = try registry.publish("checkout", "2.0.0", Self.files, requires: ">=9.0.0")
        try registry.set(shop, [Release(id: "r2", offer: .version(two.version, manifest: two.manifest))])
        #expect(try await why(device.updater()).contains(">=9.0.0"))
    }

    /// A page gets `a.js`, and its process dies.
    private func dieAfterOneFile() async throws {
        let network = Network(registry)
        do {
            let session = try await open(device.updater(transport: network))
            _ = try await text("a.js", of: session)
            network.goAway()
            // Its locks go with it, as if it was killed.
        }
        try await Task.sleep(for: .seconds(1))
    }

    @Test func `a process that died leaves what came, and the next page fetches the rest`() async throws {
        try await dieAfterOneFile()
        try await device.updater().collectGarbage()
        #expect(try device.listing().contains(ViewPath.object(digest("aaaa")).description))
        let next = Network(registry) { path, bytes in path.hasPrefix("patches/") ? nil : bytes }
        let updater = try device.updater(transport: next)
        defer { withExtendedLifetime(updater) {} }
        let session = try await open(updater)
        #expect(try await text("a.js", of: session) == "aaaa")
        try await waitUntilWhole(session)
        #expect(await !next.inner.paths.contains(ViewPath.object(digest("aaaa")).description))
        #expect(try device.state("checkout").active?.id == one)
    }

    /// Nobody waits for the disk before a page gets its file: a name may outlive its bytes.
    @Test(arguments: [0, 4])
    func `what a power cut left of an object is not shown, and is fetched again`(left: Int) async throws {
        try await dieAfterOneFile()
        let object = StoreLayout(folder: device.store).object(digest("aaaa"))
        chmod(object.path, 0o644)
        try Data(count: left).write(to: object)
        let updater = try device.updater()
        defer { withExtendedLifetime(updater) {} }
        let session = try await open(updater)
        #expect(try await text("a.js", of: session) == "aaaa")
        try await waitUntilWhole(session)
        #expect(try await device.page("checkout", "a.js") == "aaaa")
    }

    @Test func `a large file comes as a download that can go on, and is the object then`() async throws {
        let large = String(repeating: "large ", count: 200_000)
        let two = try registry.publish("checkout", "2.0.0", ["index.html": "two", "large.js": large])
        try registry.release("checkout", two, release: "r2")
        let updater = try device.updater()
        defer { withExtendedLifetime(updater) {} }
        let session = try await open(updater)
        #expect(try await text("large.js", of: session) == large)
        let object = session.file(for: digest(large))
        let rights = try FileManager.default.attributesOfItem(atPath: object.path)[.posixPermissions] as? Int
        #expect(rights == 0o444)
        try await waitUntilWhole(session)
        #expect(try device.listing().filter { $0.hasPrefix("downloads/") } == [])
    }

    @Test func `what nobody offers any more is collected when its pages are gone, and not before`() async throws {
        let network = Network(registry)
        let two = try registry.publish("checkout", "2.0.0", ["index.html": "two"])
        do {
            let session = try await open(device.updater(transport: network))
            _ = try await text("a.js", of: session)
            network.goAway()
            try registry.release("checkout", two, release: "r2")
            try await device.updater().update(.all)
            #expect(try device.state("checkout").active?.id == two)
            try await device.updater().collectGarbage()
            #expect(try await text("a.js", of: session) == "aaaa")
            network.goAway(false)
            #expect(try await text("b.js", of: session) == "bbbb")
            withExtendedLifetime(session) {}
        }
        try await Task.sleep(for: .seconds(2))
        try await device.updater().collectGarbage()
        let objects = try device.listing().filter { $0.hasPrefix("objects/") }
        #expect(objects == [ViewPath.object(digest("two")).description])
        #expect(try device.state("checkout").active?.id == two)
    }

    @Test func `a network that comes back completes what it began`() async throws {
        let network = Network(registry)
        let updater = try device.updater(transport: network)
        let session = try await open(updater)
        _ = try await text("index.html", of: session)
        network.goAway()
        await #expect(throws: UpdateError.unreachable(address: "registry", reason: "it is away")) {
            try await text("b.js", of: session)
        }
        try await Task.sleep(for: .seconds(1))
        network.goAway(false)
        #expect(try await text("b.js", of: session) == "bbbb")
        try await waitUntilWhole(session)
        #expect(try device.state("checkout").active?.id == one)
    }

    @Test func `without a network at the first open there is no page, and the next open has one`() async throws {
        let network = Network(registry)
        network.goAway()
        let folder = registry.signed
        let updater = try Updater(device.configuration, transport: network) { _, _, transport, _ in
            NetworkTargets(transport: transport, folder: folder)
        }
        guard case .unavailable(let absence) = try await updater.open(shop) else {
            Issue.record("it has a page")
            return
        }
        #expect(absence.isUnreachable && absence.why.contains("it is away"))
        network.goAway(false)
        #expect(try await text("index.html", of: open(updater)) == "one")
    }

    @Test func `an update beside it waits for it, and finds it installed`() async throws {
        let network = Network(registry)
        let updater = try device.updater(transport: network)
        let session = try await open(updater)
        let report = try await updater.update(.list([shop]))
        #expect(report.entries.map(\.outcome) == [.upToDate(one.version)])
        #expect(!session.isInstalling)
        #expect(try device.state("checkout").active?.loads == [session.loadToken])
        // Another process may update between the page's files.
        try await device.updater().update(.all)
    }

    @Test func `pages that open at the same time share one check and one load`() async throws {
        let network = Network(registry)
        let updater = try device.updater(transport: network)
        let sessions = try await withThrowingTaskGroup(of: PackageSession?.self) { group in
            for _ in 0..<8 { group.addTask { [shop] in try await updater.open(shop).session } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(sessions.map { $0.map(ObjectIdentifier.init) }).count == 1)
        let session = try #require(sessions.first ?? nil)
        let digest = digest("one")
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await session.fetch(digest) } }
            try await group.waitForAll()
        }
        #expect(await network.inner.paths.filter { $0.hasPrefix("objects/") } == [ViewPath.object(digest).description])
    }

    @Test func `files of a shared bundle come like the package's own, and its tree with it`() async throws {
        let bundle = try registry.publish(
            "web-common", SharedBundleTests.vendor, ["v.js": "vendor", "w.js": "more"], entry: nil)
        let two = try registry.publish(
            "checkout", "2.0.0", ["index.html": "two", "v.js": "vendor"], shared: ["web-common": bundle],
            from: ["v.js": "web-common"])
        try registry.release("checkout", two, release: "r2")
        let updater = try device.updater()
        defer { withExtendedLifetime(updater) {} }
        let session = try await open(updater)
        #expect(try await text("v.js", of: session) == "vendor")
        try await waitUntilWhole(session)
        #expect(try await device.page("checkout", "v.js") == "vendor")
    }

    @Test func `a version that hangs is left after its starts, and is not installed again`() async throws {
        do {
            let updater = try device.updater()
            let session = try await open(updater)
            try await waitUntilWhole(session)
            withExtendedLifetime(updater) {}
        }
        // Each process starts it once more.
        #expect(try await device.updater().open(shop).session?.version == one.version)
        #expect(try await why(device.updater()).contains("it failed on this device"))
        #expect(try device.state("checkout").active == nil)
    }

    @Test func `a package that is switched off goes to the origins that its publisher signed, and nowhere else`()
        async throws
    {
        try registry.set(
            shop, [Release(id: "r1", offer: .version(one.version, manifest: one.manifest))], isEnabled: false)
        guard case .unavailable(let unknown) = try await device.updater().open(shop) else {
            Issue.record("it has a page")
            return
        }
        #expect(unknown.origins.isEmpty && unknown.why.contains("gate"))
        let two = try registry.publish(
            "checkout", "2.0.0", Self.files, origins: ["https://m.example.com/shop/"])
        let offer = Release.Offer.version(two.version, manifest: two.manifest)
        try registry.set(shop, [Release(id: "r2", offer: offer)])
        try await device.updater().update(.all)
        try registry.set(shop, [Release(id: "r2", offer: offer)], isEnabled: false)
        try await device.updater().update(.all)
        guard case .unavailable(let known) = try await device.updater().open(shop) else {
            Issue.record("it has a page")
            return
        }
        #expect(known.origins == ["https://m.example.com/shop/"])
    }

    @Test func `a disk that is too full for all of it gets no page`() async throws {
        let huge = try registry.publishClaim("checkout", "3.0.0", size: 1 << 50)
        try registry.release("checkout", huge, release: "r3")
        #expect(try await why(device.updater()).contains("bytes are needed"))
    }
}

/// Targets in a folder, whose refresh needs the network.
private struct NetworkTargets: SignedTargets {
    let transport: any UpdateTransport
    let folder: URL

    func refresh() async throws {
        _ = try await transport.read("metadata/timestamp.json", maximumByteCount: 1, validator: nil)
    }

    func file(_ path: String) async throws -> SignedFile? { try await UnsignedTargets(folder: folder).file(path) }

    func channelNames() async -> [String] { await UnsignedTargets(folder: folder).channelNames() }

    func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] {
        try await UnsignedTargets(folder: folder).target(path, maximumByteCount: maximumByteCount)
    }
}
