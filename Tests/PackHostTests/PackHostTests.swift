import Foundation
import PackFormat
import PackHost
import PackUpdater
import PackWeb
import Testing

/// An app's packages from a registry over HTTP to the bytes that a page gets.
@Suite(.serialized)
struct PackHostTests {
    private static let address = "https://shop.package/"

    private static func site(_ word: String) -> [String: String] {
        ["index.html": "<title>\(word)</title><script src=\"app.js\"></script>", "app.js": "say('\(word)')"]
    }

    private static func started(_ start: PageStart) throws -> StartedPage {
        guard case .started(let page) = start else {
            throw UpdateError.notConfirmed(try PackageID("shop"), reason: "the page was not started: \(start)")
        }
        return page
    }

    @Test func `a package that is not here is shown as it comes, is confirmed, and works without the network`()
        async throws
    {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let host = try registry.host()
        try await host.start()
        guard case .installing = try await host.prepareNavigation(to: registry.shop) else {
            Issue.record("it does not install itself")
            return
        }
        let view = ShownPage(host)
        #expect(await view.load(Self.address) == (200, "<title>one</title><script src=\"app.js\"></script>"))
        let page = try await Self.started(view.start(Self.address, in: host))
        #expect(await view.part(Self.address + "app.js", of: Self.address) == (200, "say('one')"))
        try await host.confirm(page)
        let deadline = ContinuousClock.now + .seconds(20)
        while try await host.updater.status().first?.isConfirmed != true, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        registry.stop()
        let offline = try registry.host()
        try await offline.start()
        #expect(try await offline.prepareNavigation(to: registry.shop) == nil)
        #expect(await ShownPage(offline).load("h5pack://shop/").text.contains("one"))
    }

    @Test func `a page keeps its version over an update, and the next page has the new one`() async throws {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let host = try registry.host()
        try await host.start()
        try await host.update(.list([registry.shop]))
        let view = ShownPage(host)
        #expect(await view.load(Self.address).text.contains("one"))
        let first = try await Self.started(view.start(Self.address, in: host))
        try await host.confirm(first)
        try registry.publish("2.0.0", Self.site("two"))
        #expect(try await host.check(.list([registry.shop])).isChanged)
        #expect(try await host.updater.status().first?.active == SemanticVersion("1.0.0"))
        #expect(try await host.update(.list([registry.shop])).isChanged)
        #expect(await view.part(Self.address + "app.js", of: Self.address).text == "say('one')")
        #expect(await view.load(Self.address).text.contains("two"))
        // What the page before says is of another version.
        await #expect(throws: UpdateError.self) { try await host.confirm(first.load) }
        let second = try await Self.started(view.start(Self.address, in: host))
        try await host.confirm(second.load)
        #expect(try await host.updater.status().first?.isConfirmed == true)
    }

    @Test func `only a document that the device has answered counts as a start`() async throws {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let host = try registry.host()
        try await host.update(.list([registry.shop]))
        let view = ShownPage(host)
        for url in [Self.address, "https://shop.example.com/", "https://elsewhere.test/"] {
            guard case .foreign = try await view.start(url, in: host) else {
                Issue.record("\(url) was started")
                continue
            }
        }
        try await host.prepareNavigation(to: registry.shop)
        _ = await view.load(Self.address)
        #expect(try await host.updater.status().first?.unconfirmedStarts == 0)
        let page = try await Self.started(view.start(Self.address, in: host))
        #expect(try await host.updater.status().first?.unconfirmedStarts == 1)
        // Each document starts one page.
        guard case .foreign = try await view.start(Self.address, in: host) else {
            Issue.record("it was started twice")
            return
        }
        #expect(page.isConfirmed(by: page.load, from: "https://shop.package", origin: "https://shop.package"))
        #expect(!page.isConfirmed(by: page.load, from: "https://cart.package", origin: "https://shop.package"))
        let other = PageHook.Load(package: "shop", version: "1.0.0", token: "guessed")
        #expect(!page.isConfirmed(by: other, from: "https://shop.package", origin: "https://shop.package"))
    }

    /// An engine asks the device and a starting service worker at once, and shows the worker's page.
    @Test func `an answer without the key of the device's own counts as no start, though the device was asked`()
        async throws
    {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let host = try registry.host()
        try await host.update(.list([registry.shop]))
        let view = ShownPage(host)
        _ = await view.load(Self.address)
        let first = try #require(view.documentKey)
        _ = await view.load(Self.address)
        #expect(view.documentKey != first)
        for key in [nil, "", "guessed"] {
            guard case .foreign = try await host.startPage(at: Self.address, documentKey: key, from: view.pages) else {
                Issue.record("\(key ?? "none") started a page")
                continue
            }
        }
        #expect(try await host.updater.status().first?.unconfirmedStarts == 0)
        _ = try await Self.started(view.start(Self.address, in: host))
        // A part of a page has no key.
        let part = SiteRequest(url: Self.address + "app.js", headers: ["referer": Self.address])
        let page = view.pages.page(for: part)
        #expect(page.documentFields(of: page.answer(part)).isEmpty)
    }

    @Test func `a page of a version that has used up its starts is not shown`() async throws {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let host = try registry.host { $0.maximumUnconfirmedStarts = 1 }
        try await host.update(.list([registry.shop]))
        let view = ShownPage(host)
        _ = await view.load(Self.address)
        try await host.confirm(Self.started(view.start(Self.address, in: host)))
        try registry.publish("2.0.0", Self.site("two"))
        try await host.update(.list([registry.shop]))
        _ = await view.load(Self.address)
        _ = try await Self.started(view.start(Self.address, in: host))
        // The app was ended and starts anew; nobody has confirmed the version.
        let next = try registry.host { $0.maximumUnconfirmedStarts = 1 }
        try await next.start()
        try await next.refresh()
        let after = ShownPage(next)
        #expect(await after.load(Self.address).text.contains("two"))
        guard case .outdated(_, let version, let now) = try await after.start(Self.address, in: next)
        else {
            Issue.record("it was started once more")
            return
        }
        #expect(try version == SemanticVersion("2.0.0") && now == SemanticVersion("1.0.0"))
        #expect(await after.load(Self.address).text.contains("one"))
    }

    @Test func `what cannot be shown says why, and what is switched off is at its own web site`() async throws {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let host = try registry.host()
        try await host.update(.list([registry.shop]))
        let cart = try PackageID("cart")
        guard case .unavailable(let absence) = try await host.prepareNavigation(to: cart) else {
            Issue.record("there is a cart")
            return
        }
        let view = ShownPage(host)
        let missing = await view.load("https://cart.package/")
        #expect(missing.status == 503)
        #expect(missing.text.contains(absence.why.replacing("\"", with: "&quot;")), "\(missing)")
        // What the channel's gate leaves in the store.
        try registry.switchOff()
        try await host.prepareNavigation(to: registry.shop)
        #expect(await view.load(Self.address + "pay?from=cart").text == "https://shop.example.com/pay?from=cart")
        let browsers = BrowserPages(host)
        let request = SiteRequest(url: Self.address + "pay?from=cart", headers: ["accept": "text/html"])
        guard case .elsewhere(let url) = try await browsers.page(of: registry.shop, for: request, token: nil) else {
            Issue.record("a browser gets a page")
            return
        }
        #expect(url == "https://shop.example.com/pay?from=cart")
    }

    @Test func `a check that fails after it has read the channel still brings its gate and rules`() async throws {
        for isUpdate in [false, true] {
            let registry = try ServedRegistry()
            try registry.publish("1.0.0", Self.site("one"))
            let host = try registry.host()
            try await host.update(.list([registry.shop]))
            try await host.prepareNavigation(to: registry.shop)
            let view = ShownPage(host)
            #expect(await view.load(Self.address).text.contains("one"))
            try registry.breakNextCheck(switchingOff: "shop", denying: "ads.example")
            await #expect(throws: UpdateError.self) {
                _ = try await isUpdate ? host.update(.list([registry.shop])) : host.check(.list([registry.shop]))
            }
            #expect(await view.load(Self.address).text.contains("shop is switched off"))
            #expect(host.packages.settings.rules.rules.map(\.name) == ["no trackers"])
        }
    }

    @Test func `of many browsers each has the version that its page started with`() async throws {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let host = try registry.host()
        try await host.update(.list([registry.shop]))
        let browsers = BrowserPages(host)
        func text(_ path: String, token: String? = nil) async throws -> (text: String, token: String) {
            let request = SiteRequest(
                url: Self.address + path, headers: ["sec-fetch-dest": path.isEmpty ? "document" : "script"])
            guard case .open(let open) = try await browsers.page(of: registry.shop, for: request, token: token) else {
                throw UpdateError.notInstalled(registry.shop)
            }
            return (await ShownPage.text(of: open.page.answer(request)).text, open.session.loadToken)
        }
        let old = try await text("")
        try await host.confirm(PageHook.Load(package: "shop", version: "1.0.0", token: old.token))
        try registry.publish("2.0.0", Self.site("two"))
        try await host.update(.list([registry.shop]))
        let new = try await text("")
        #expect(old.text.contains("one") && new.text.contains("two"))
        #expect(try await text("app.js", token: old.token).text == "say('one')")
        #expect(try await text("app.js", token: new.token).text == "say('two')")
        // The app's own rules hold for them as for a view.
        let ruled = try registry.host(
            rules: #"{"format": 1, "rules": [], "api": {"/orders/": "https://api.example.com/"}}"#)
        let request = SiteRequest(url: Self.address + "orders/7", headers: ["sec-fetch-dest": "empty"])
        guard case .open(let open) = try await BrowserPages(ruled).page(of: registry.shop, for: request, token: nil)
        else { throw UpdateError.notInstalled(registry.shop) }
        #expect(await ShownPage.text(of: open.page.answer(request)).text == "https://api.example.com/7")
        await #expect(throws: FormatError.self) {
            try await host.confirm(PageHook.Load(package: "Shop!", version: "2.0.0", token: new.token))
        }
    }

    @Test func `a roll-back that is done is no error, though the store cannot be read right after it`() async throws {
        let registry = try ServedRegistry()
        try registry.publish("1.0.0", Self.site("one"))
        let state = registry.folder.appendingPathComponent("store/state.json")
        let kept = registry.folder.appendingPathComponent("kept.json")
        let isArmed = Locked(false)
        // The clock is read for the log, when the roll-back is in the store.
        let host = try registry.host { configuration in
            configuration.now = {
                if isArmed.withLock({ $0 }), !FileManager.default.fileExists(atPath: kept.path) {
                    try? FileManager.default.moveItem(at: state, to: kept)
                    try? Data("damaged".utf8).write(to: state)
                }
                return Date()
            }
        }
        try await host.update(.list([registry.shop]))
        let view = ShownPage(host)
        _ = await view.load(Self.address)
        try await host.confirm(Self.started(view.start(Self.address, in: host)))
        try registry.publish("2.0.0", Self.site("two"))
        try await host.update(.list([registry.shop]))
        isArmed.withLock { $0 = true }
        #expect(try await host.rollBack(registry.shop, reason: "its page is blank") == SemanticVersion("1.0.0"))
        await #expect(throws: UpdateError.self) { try await host.refresh() }
        try FileManager.default.removeItem(at: state)
        try FileManager.default.moveItem(at: kept, to: state)
        try await host.prepareNavigation(to: registry.shop)
        #expect(await view.load(Self.address).text.contains("one"))
    }

    @Test func `a URL names a package by a scheme of the app or below package, and by nothing else`() throws {
        let registry = try ServedRegistry()
        let host = try registry.host()
        for url in ["https://shop.package/a?b#c", "h5pack://shop/", "H5PACK://SHOP/x"] {
            #expect(host.package(of: url) == registry.shop, "\(url)")
        }
        for url in [
            "http://shop.package/", "https://package/", "other://shop/", "https://a.b.package/", "about:blank", "",
        ] {
            #expect(host.package(of: url) == nil, "\(url)")
        }
    }
}
