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
