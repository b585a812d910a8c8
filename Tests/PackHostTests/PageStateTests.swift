import Foundation
import PackFormat
import PackHost
import PackUpdater
import PackWeb
import Testing

/// What the events of a view mean for its page and the page's version. Each event is given by hand: there is no engine.
@Suite(.serialized)
final class PageStateTests {
    private static let origin = "https://shop.package"
    private static let root = origin + "/"
    /// The address of the path to open.
    private static let start = origin + "/app/"

    private let registry: ServedRegistry
    private let host: PackHost
    private let view: ShownPage

    /// Version 1.0.0 is installed. It has nothing but its page.
    init() async throws {
        registry = try ServedRegistry()
        try registry.publish("1.0.0", ["index.html": "<title>one</title>"])
        host = try registry.host()
        try await host.update(.list([registry.shop]))
        view = ShownPage(host)
    }

    private func state(of package: String = "shop", path: String = "/app/") throws -> PageState {
        let home = try PageState.Home(package: PackageID(package), origin: "https://\(package).package", path: path)
        return PageState(home, readyTimeout: .seconds(4))
    }

    /// A page of the package whose document the device has answered.
    private func page() async throws -> StartedPage {
        _ = await view.load(Self.root)
        guard case .started(let page) = try await view.start(Self.root, in: host) else {
            throw UpdateError.notConfirmed(registry.shop, reason: "the page was not started")
        }
        // Else its version would have used up its starts soon.
        try await host.confirm(page)
        return page
    }

    /// A page that is on view.
    private func show(_ page: StartedPage?, at url: String = root, in state: inout PageState) {
        let number = state.started(at: url)
        if let page { #expect(state.answered(by: page, in: number) == true) }
        state.committed(at: url, isRestored: false)
    }

    /// A macro cannot call what changes the state.
    private func value(_ failure: PageFailure?) -> PageFailure? { failure }

    private func works(_ verdict: PageVerdict) -> Bool { if case .works = verdict { true } else { false } }

    private func isNothing(_ verdict: PageVerdict) -> Bool { if case .nothing = verdict { true } else { false } }

    private func failure(_ verdict: PageVerdict) -> PageFailure? {
        if case .failed(let failure) = verdict { failure } else { nil }
    }

    @Test func `a page of the device that has loaded works, and is told once`() async throws {
        var state = try state()
        let page = try await page()
        let number = state.started(at: Self.root)
        #expect(state.answered(by: page, in: number - 1) == false)
        #expect(state.answered(by: page, in: number) == true)
        #expect(state.loads[registry.shop] == page.load)
        #expect(state.pageOnView == nil)
        state.committed(at: Self.root, isRestored: false)
        #expect(state.attempt.version == "1.0.0" && state.load(of: page.digest) == number)
        #expect(isNothing(state.finished(at: Self.root, status: 304, start: Self.start)))
        #expect(works(state.finished(at: Self.root, status: 200, start: Self.start)))
        #expect(isNothing(state.finished(at: Self.root, status: 200, start: Self.start)))
        #expect(state.timeIsOver(of: number) == nil)
        state.forgetLoad(of: registry.shop)
        #expect(state.loads.isEmpty)
        // A page that must say so itself.
        state.confirmsLoadedPages = false
        show(try await self.page(), in: &state)
        #expect(isNothing(state.finished(at: Self.root, status: 200, start: Self.start)))
    }

    @Test func `a page of the network, and one that the engine had kept, say nothing about a version`() async throws {
        var state = try state()
        show(nil, at: "https://login.test/", in: &state)
        #expect(state.isElsewhere)
        #expect(isNothing(state.finished(at: "https://login.test/", status: 200, start: Self.start)))
        #expect(state.timeIsOver(of: state.attempt.number) == nil)
        #expect(state.failed(at: "https://login.test/", "broken")?.suspect == nil)

        let page = try await page()
        let number = state.started(at: Self.root)
        #expect(!state.isElsewhere)
        #expect(state.answered(by: page, in: number) == true)
        state.committed(at: Self.root, isRestored: true, version: "0.9.0")
        #expect(state.attempt.version == "0.9.0" && state.pageOnView == nil && state.speakingPage == nil)
        #expect(!state.isElsewhere)
        #expect(isNothing(state.finished(at: Self.root, status: 200, start: Self.start)))
        #expect(state.page(confirmedBy: page.load, from: Self.origin) { _ in [Self.origin] } == nil)
        #expect(state.failed(at: Self.root, "broken")?.suspect == nil)
        // A page of the package that leads on to a login page is elsewhere once that one is on view.
        _ = state.started(at: Self.root)
        state.committed(at: "https://login.test/", isRestored: false)
        #expect(state.isElsewhere)
    }

    @Test func `a page without one of its scripts is not ready, and time speaks against its version`() async throws {
        var state = try state()
        let page = try await page()
        show(page, in: &state)
        _ = await view.part(Self.root + "app.js", of: Self.root)
        guard case .lacks(let missing, _) = state.finished(at: Self.root, status: 200, start: Self.start) else {
            Issue.record("it lacks nothing")
            return
        }
        #expect(missing == [Self.root + "app.js"])
        let number = state.attempt.number
        #expect(state.timeIsOver(of: number + 1) == nil)
        let late = try #require(value(state.timeIsOver(of: number)))
        #expect(late.attempt == number && late.suspect == page.digest && late.mayHang)
        #expect(late.reason.contains("not ready in 4 s: \(Self.root)app.js is not in its version"))
        #expect(state.timeIsOver(of: number) == nil)
    }

    @Test func `a load that was given up leaves the page before it on view, which goes on speaking`() async throws {
        var state = try state()
        let page = try await page()
        show(page, in: &state)
        let number = state.attempt.number
        let download = state.started(at: Self.origin + "/file.zip")
        #expect(download == number + 1)
        #expect(state.pageOnView?.page === page.page && state.speakingPage == nil)
        #expect(state.load(of: page.digest) == nil)
        #expect(state.page(confirmedBy: page.load, from: Self.origin) { _ in [Self.origin] }?.page === page.page)
        state.stopped(at: Self.origin + "/file.zip")
        #expect(state.attempt.number == number && state.load(of: page.digest) == number)
        #expect(state.started(at: Self.root) == download + 1)
        state.stopped(at: Self.root)
        // The page itself is given up: it says nothing any more.
        state.stopped(at: Self.root)
        #expect(state.speakingPage == nil && state.attempt.isOver)
        #expect(isNothing(state.finished(at: Self.root, status: 200, start: Self.start)))
        #expect(state.failed(at: Self.root, "broken")?.suspect == nil)
    }

    @Test func `a page that fails is told once, and only the view's own version is the suspect`() async throws {
        let page = try await page()
        var own = try state()
        show(page, in: &own)
        let broken = try #require(value(own.failed(at: Self.root, "it broke off")))
        #expect(broken.reason == "\(Self.root) did not load: it broke off")
        #expect(broken.suspect == page.digest && !broken.mayHang)
        #expect(own.failed(at: Self.root, "again") == nil)
        #expect(isNothing(own.finished(at: Self.root, status: 200, start: Self.start)))
        show(try await self.page(), in: &own)
        let refused = failure(own.finished(at: Self.root, status: 503, start: Self.start))
        #expect(refused?.reason == "\(Self.root) was answered 503" && refused?.suspect == page.digest)
        // A page that never came says nothing about the version of the one before it.
        _ = own.started(at: "https://elsewhere.test/")
        #expect(own.failed(at: "https://elsewhere.test/", "no network")?.suspect == nil)

        var other = try state(of: "cart")
        show(page, in: &other)
        #expect(other.failed(at: Self.root, "it broke off")?.suspect == nil)
        var any = PageState()
        show(page, in: &any)
        #expect(any.failed(at: Self.root, "it broke off")?.suspect == page.digest)
    }

    @Test func `a path that the version does not have opens its start, and a version without that is left`()
        async throws
    {
        var state = try state()
        let page = try await page()
        #expect(state.path(of: page.digest) == "/app/")
        show(page, at: Self.root + "none", in: &state)
        let link = failure(state.finished(at: Self.root + "none", status: 404, start: Self.start))
        #expect(link != nil && link?.suspect == nil)
        show(page, at: Self.start, in: &state)
        guard case .opensRoot(Self.root, _) = state.finished(at: Self.start, status: 404, start: Self.start) else {
            Issue.record("the start is not opened")
            return
        }
        #expect(state.path(of: page.digest) == "/")
        #expect(state.path(of: Digest(of: Data("another version".utf8))) == "/app/")
        show(page, in: &state)
        let empty = failure(state.finished(at: Self.root, status: 404, start: Self.root))
        #expect(empty?.suspect == page.digest)
    }

    @Test func `a page whose process ends is shown again when somebody sees it, but not again and again`() async throws
    {
        var state = try state()
        let page = try await page()
        let now = ContinuousClock.now
        for second in [0, 1] {
            show(page, in: &state)
            #expect(state.processEnded(at: now + .seconds(second)) == nil)
            #expect(state.pageOnView == nil && state.load(of: page.digest) == nil)
            #expect(state.page(confirmedBy: page.load, from: Self.origin) { _ in [Self.origin] } == nil)
            #expect(state.takeEmpty() == true)
            #expect(state.takeEmpty() == false)
        }
        show(page, in: &state)
        let failure = try #require(value(state.processEnded(at: now + .seconds(2))))
        #expect(failure.suspect == page.digest && failure.reason.contains("again and again"))
        #expect(state.takeEmpty() == false)
        // What is loaded by hand meanwhile is not loaded over.
        show(page, in: &state)
        #expect(state.processEnded(at: now + .seconds(3)) == nil)
        _ = state.started(at: Self.root)
        #expect(state.takeEmpty() == false)
    }

    @Test func `the end of a process that nobody asked for is a failure where the engine says that it crashed`()
        async throws
    {
        var state = try state()
        let page = try await page()
        show(page, in: &state)
        let download = state.started(at: Self.origin + "/file.zip")
        // The page on view is gone, and does not come back by the end of the download.
        #expect(state.crashed("it crashed")?.attempt == download)
        #expect(state.crashed("it crashed") == nil)
        state.stopped(at: Self.origin + "/file.zip")
        #expect(state.attempt.number == download && state.pageOnView == nil)
        show(page, in: &state)
        #expect(state.crashed("it crashed")?.suspect == page.digest)
        #expect(state.page(confirmedBy: page.load, from: Self.origin) { _ in [Self.origin] } == nil)
    }

    @Test func `a page is shown again after its process has ended, but not again and again`() {
        var ends = EndedProcesses()
        let start = ContinuousClock.now
        // It starts anew after the third end, and ends that are a minute ago do not count.
        let shown = [0, 20, 40, 41, 42, 102, 103, 104].map { ends.showsAgain(at: start + .seconds($0)) }
        #expect(shown == [true, true, false, true, true, true, true, false])
    }

    @Test func `the app's own page of a failure is no page to say anything of`() async throws {
        var state = try state()
        let page = try await page()
        state.showsFailure()
        let number = state.started(at: Self.root)
        #expect(state.answered(by: page, in: number) == false)
        #expect(state.failed(at: Self.root, "broken") == nil)
        #expect(state.timeIsOver(of: number) == nil)
        state.committed(at: Self.root, isRestored: false)
        #expect(isNothing(state.finished(at: Self.root, status: 404, start: Self.start)))
        // Its trial is not over by it, and the next page is one again.
        #expect(state.failed(.late(page.digest))?.suspect == page.digest)
        show(page, in: &state)
        #expect(works(state.finished(at: Self.root, status: 200, start: Self.start)))
    }

    @Test func `a trial's bad end is told also after a failure, and a page that hangs once`() async throws {
        var state = try state()
        let page = try await page()
        show(page, in: &state)
        let hangs = try #require(value(state.failed(.hangs(.seconds(4)))))
        #expect(hangs.reason.contains("not answered for 4 s") && hangs.suspect == page.digest && hangs.mayHang)
        #expect(state.failed(.hangs(.seconds(4))) == nil)
        // The version of the trial, whichever page is on view.
        show(nil, at: "https://elsewhere.test/", in: &state)
        _ = state.failed(at: "https://elsewhere.test/", "broken")
        let late = try #require(value(state.failed(.late(page.digest))))
        #expect(late.suspect == page.digest && late.mayHang)
    }

    @Test func `a page is confirmed by frames of its own origin, with its own load`() async throws {
        var state = try state()
        let page = try await page()
        show(page, in: &state)
        let origins: (PackageID) -> [String] = { ["h5pack://\($0)", "https://\($0).package"] }
        #expect(state.page(confirmedBy: page.load, from: "h5pack://shop", origins: origins) != nil)
        #expect(state.page(confirmedBy: page.load, from: "https://cart.package", origins: origins) == nil)
        let guessed = PageHook.Load(package: "shop", version: "1.0.0", token: "guessed")
        #expect(state.page(confirmedBy: guessed, from: Self.origin, origins: origins) == nil)
        #expect(state.becomesReady(page) == true)
        #expect(state.becomesReady(page) == false)
        // The page before says so while the next one is under way, and is ready when it stays.
        let next = try await self.page()
        show(next, in: &state)
        _ = state.started(at: Self.origin + "/file.zip")
        #expect(state.becomesReady(next) == true)
        #expect(state.becomesReady(page) == false)
        state.stopped(at: Self.origin + "/file.zip")
        #expect(state.attempt.isReady)
        // A page whose answer is there speaks, and the one before it no more.
        let last = try await self.page()
        let number = state.started(at: Self.root)
        #expect(state.answered(by: last, in: number) == true)
        let found = state.page(confirmedBy: last.load, from: Self.origin, origins: origins)
        #expect(found?.page === last.page)
    }
}
