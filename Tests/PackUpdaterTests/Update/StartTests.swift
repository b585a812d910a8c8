import Foundation
import PackFormat
import Testing

@testable import PackUpdater

struct StartTests {
    let registry: TestRegistry
    let device: TestDevice
    let checkout: PackageID
    let one: VersionID
    let two: VersionID

    /// Version 1 works, version 2 is active and was not started yet.
    init() async throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        checkout = try PackageID("checkout")
        one = try registry.publish("checkout", "1.0.0", ["index.html": "one"])
        two = try registry.publish("checkout", "1.1.0", ["index.html": "two"])
        try registry.release("checkout", one, release: "r1")
        try await device.updater().update(.all)
        try await device.confirm("checkout")
        try registry.release("checkout", two, release: "r2")
        try await device.updater().update(.all)
    }

    @Test func `after its unconfirmed starts a version is left for the one that worked`() async throws {
        var pages: [String?] = []
        for _ in 1...4 { pages.append(try await device.page("checkout")) }
        #expect(pages == ["two", "two", "one", "one"])
        #expect(try device.events(.rolledBack).last?.why.contains("never confirmed") == true)
    }

    @Test func `the number of starts is the app's to choose`() async throws {
        device.configuration.maximumUnconfirmedStarts = 1
        #expect(try await device.page("checkout") == "two")
        #expect(try await device.page("checkout") == "one")
    }

    @Test func `a version that reloads itself is left when its deadline since the first start is over`() async throws {
        let uptime = Locked(Duration.seconds(1000))
        device.configuration.readyDeadline = .seconds(10)
        device.configuration.uptime = { uptime.withLock { $0 } }
        device.configuration.now = { Date(timeIntervalSince1970: 1_700_000_000) }
        let updater = try device.updater()
        var pages: [String] = []
        var open: [PackageSession] = []
        #expect(try await updater.timeToConfirm(checkout) == nil)
        // Each load begins before the one before it is gone.
        for _ in 1...6 {
            guard case .installed(let session) = try await updater.open(checkout) else { break }
            open.append(session)
            pages.append("\(session.version)")
            uptime.withLock { $0 += .seconds(3) }
        }
        #expect(pages == ["1.1.0", "1.1.0", "1.1.0", "1.1.0", "1.0.0", "1.0.0"])
        #expect(
            try device.events(.rolledBack).last?.why.contains("not confirmed within 10 seconds of its first start")
                == true)
        #expect(try await updater.timeToConfirm(checkout) == nil)
        withExtendedLifetime(open) {}
    }

    @Test func `the only version gets its time once more, for below it there is nothing`() async throws {
        let device = try TestDevice(registry)
        let uptime = Locked(Duration.seconds(5))
        device.configuration.readyDeadline = .seconds(10)
        device.configuration.uptime = { uptime.withLock { $0 } }
        let updater = try device.updater()
        try await updater.update(.all)
        let first = try #require(try await updater.openInstalled(checkout))
        uptime.withLock { $0 += .seconds(11) }
        let second = try #require(try await updater.openInstalled(checkout))
        #expect(second === first)
        #expect(try await updater.timeToConfirm(checkout) == .seconds(10))
        await #expect(throws: UpdateError.self) {
            try await updater.rollBack(checkout, from: first.manifest.digest, reason: "it hangs")
        }
        #expect(try device.state("checkout").failures == [])
        try await updater.confirm(checkout, version: second.version, loadToken: second.loadToken)
    }

    @Test func `a version that is not active any more is not what a rollback leaves`() async throws {
        let updater = try device.updater()
        let digest = try #require(try await updater.openInstalled(checkout)).manifest.digest
        await #expect(throws: UpdateError.self) {
            try await updater.rollBack(checkout, from: Digest(of: [1]), reason: "late")
        }
        #expect(try await updater.rollBack(checkout, from: digest) != nil)
    }

    @Test func `a load after a reload has what is left of the version's time`() async throws {
        let uptime = Locked(Duration.seconds(5))
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        device.configuration.readyDeadline = .seconds(10)
        device.configuration.uptime = { uptime.withLock { $0 } }
        device.configuration.now = { now }
        let updater = try device.updater()
        #expect(try await updater.unconfirmedSince(checkout) == nil)
        let first = try await updater.open(checkout)
        uptime.withLock { $0 += .seconds(4) }
        guard case .installed(let second) = try await updater.open(checkout) else {
            Issue.record("not installed")
            return
        }
        #expect(try await updater.timeToConfirm(checkout) == .seconds(6))
        #expect(try await updater.unconfirmedSince(checkout) == now)
        try await updater.confirm(checkout, version: two.version, loadToken: second.loadToken)
        #expect(try await updater.timeToConfirm(checkout) == nil)
        #expect(try await updater.unconfirmedSince(checkout) == nil)
        uptime.withLock { $0 += .seconds(100) }
        #expect(try await device.page("checkout", by: updater) == "two")
        withExtendedLifetime(first) {}
    }

    @Test func `an app that was ended or set to sleep costs the version nothing but a start`() async throws {
        let wall = Locked(Date(timeIntervalSince1970: 1_700_000_000))
        device.configuration.readyDeadline = .seconds(10)
        device.configuration.uptime = { .seconds(1) }
        device.configuration.now = { wall.withLock { $0 } }
        let updater = try device.updater()
        guard case .installed(let asleep) = try await updater.open(checkout) else {
            Issue.record("not installed")
            return
        }
        // The device slept for a day: the clock on the wall went on, the device's own stood still.
        wall.withLock { $0 += 86_400 }
        #expect(try await device.page("checkout", by: updater) == "two")
        // The next run of the app has the whole time.
        #expect(try await device.page("checkout") == "two")
        #expect(try device.state("checkout").active?.starts == 2)
        withExtendedLifetime(asleep) {}
    }

    @Test func `a start is counted before the page's files are known`() async throws {
        let updater = try device.updater()
        let opened = try await updater.open(checkout)
        #expect(try device.state("checkout").active?.starts == 1)
        withExtendedLifetime(opened) {}
    }

    @Test func `a second page of the same load is no second start`() async throws {
        let updater = try device.updater()
        guard case .installed(let first) = try await updater.open(checkout),
            case .installed(let second) = try await updater.open(checkout)
        else {
            Issue.record("not installed")
            return
        }
        #expect(first === second)
        #expect(try device.state("checkout").active?.starts == 1)
    }

    @Test func `a page of the version before cannot confirm the new one`() async throws {
        try await device.updater().rollBack(checkout)
        try registry.release("checkout", two, release: "r3")
        let updater = try device.updater()
        guard case .installed(let old) = try await updater.open(checkout) else {
            Issue.record("not installed")
            return
        }
        #expect(old.version == one.version)
        try await updater.update(.all)
        await #expect(throws: UpdateError.self) {
            try await updater.confirm(checkout, version: two.version, loadToken: old.loadToken)
        }
        // The page says what it knows: its own version, which is not the active one any more.
        await #expect(throws: UpdateError.self) {
            try await updater.confirm(checkout, version: one.version, loadToken: old.loadToken)
        }
        #expect(try device.state("checkout").active?.isConfirmed == false)
        #expect(try device.events(.confirmationRefused).count == 2)
    }

    @Test func `a confirmed version is not counted any more, and nothing is written for it`() async throws {
        try await device.confirm("checkout")
        let before = try Data(contentsOf: device.store.appending(path: "state.json"))
        for _ in 1...5 { #expect(try await device.page("checkout") == "two") }
        #expect(try Data(contentsOf: device.store.appending(path: "state.json")) == before)
    }

    @Test func `going back by hand marks the version, and once more there is nowhere to go`() async throws {
        let updater = try device.updater()
        #expect(try await updater.rollBack(checkout) == one.version)
        await #expect(throws: UpdateError.nothingToGoBackTo(checkout)) { try await updater.rollBack(checkout) }
        #expect(try await updater.update(.all).entries.map(\.outcome) == [.upToDate(one.version)])
    }

    @Test func `a version whose manifest is damaged is left for the one that worked`() async throws {
        let tree = device.store.appending(path: "unzipFiles/checkout/1.1.0/pack.json")
        try FileManager.default.removeItem(at: tree)
        #expect(try await device.page("checkout") == "one")
    }

    @Test func `a page keeps its version and its files while others come and go`() async throws {
        let updater = try device.updater()
        guard case .installed(let page) = try await updater.open(checkout) else {
            Issue.record("not installed")
            return
        }
        #expect(page.version == two.version)
        for number in 2...5 {
            let next = try registry.publish("checkout", "1.\(number).0", ["index.html": "version \(number)"])
            try registry.release("checkout", next, release: "n\(number)")
            try await device.updater().update(.all)
            try await device.confirm("checkout")
        }
        let file = try #require(try page.file(at: PackagePath("index.html")))
        #expect(try String(contentsOf: file, encoding: .utf8) == "two")
        let digest = Digest(of: Array("two".utf8))
        #expect(try String(contentsOf: page.file(for: digest), encoding: .utf8) == "two")
        let kept = try device.listing().filter { $0.hasSuffix("pack.json") }
        #expect(kept == ["1.1.0", "1.4.0", "1.5.0"].map { "unzipFiles/checkout/\($0)/pack.json" })
    }

    @Test func `when the page is gone its version goes`() async throws {
        do {
            let updater = try device.updater()
            let opened = try await updater.open(checkout)
            try await device.updater().rollBack(checkout)
            #expect(try await device.updater().collectGarbage() == [])
            withExtendedLifetime(opened) {}
        }
        #expect(try await device.updater().collectGarbage() == ["checkout@1.1.0"])
        #expect(try await device.page("checkout") == "one")
    }
}
