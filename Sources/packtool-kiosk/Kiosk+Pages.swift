import Foundation
import PackFormat
import PackHost
import PackJSON
import PackUpdater
import PackWeb
import PackWebOnline
import PackWebKitGTK

/// The pages of the view: how they start, and what they report about their version.
extension Kiosk {
    /// Before a navigation in any frame. Nothing is counted here: which frame it is, WebKit does not say.
    func willNavigate(to url: String) async {
        await services.cookies.giveToWebView()
        guard let package = host.package(of: url) else { return }
        view.acceptProxyCertificate(from: [SiteAddress.virtualHost(of: package)])
        do {
            switch try await host.prepareNavigation(to: package) {
            case .installed, nil: break
            case .installing(let session): say("\(package) \(session.version) installs itself while it is shown")
            case .unavailable(let absence): say("\(package) cannot be shown: \(absence.why)")
            }
        } catch {
            say("\(package) cannot be opened: \(error)")
        }
        await removeOldWorkers(of: package)
        hookPages(of: package)
    }

    /// Removes service workers before the first page of another version, newer or older, because they would answer
    /// instead of the version. A custom scheme has none.
    private func removeOldWorkers(of package: PackageID) async {
        guard settings.usesProxy, let digest = host.packages.manifest(of: package)?.digest,
            seen.isOther(digest, of: package)
        else { return }
        await view.removeWorkers(of: [SiteAddress.virtualHost(of: package)])
        seen.note(digest, of: package)
    }

    /// The answer of a navigation is there and no code of it has run: the moment to count the start of its version. Only the
    /// view's own page counts, and only where the device has answered its document.
    /// - Returns: whether to show it.
    func willShow(_ answer: PackageView.Answer) async -> Bool {
        await services.cookies.takeFromWebView()
        guard answer.isPage, let package = host.package(of: answer.url) else { return true }
        state.forgetLoad(of: package)
        defer { hookPages(of: package) }
        let number = state.attempt.number
        do {
            switch try await host.startPage(at: answer.url, documentKey: answer.documentKey, from: services.pages) {
            case .foreign: break
            case .outdated(_, let version, let other):
                // Its starts or its time are used up, or another has taken its place: its page must not run.
                leave(package, version, for: other)
                return false
            case .started(let page):
                if state.answered(by: page, in: number) { await trial.begin(page) }
            }
        } catch {
            say("\(package) cannot be opened: \(error)")
        }
        return true
    }

    private func leave(_ package: PackageID, _ version: SemanticVersion, for other: SemanticVersion?) {
        say("\(package) \(version) is not the version to show any more; that is \(other?.description ?? "none")")
        if package == settings.package {
            trial.abandon()
            sayRolledBack(from: version, to: other)
        }
        Task { view.load(address) }
    }

    func changed(_ event: PackageView.Event) {
        switch event {
        case .started(let url):
            services.pages.start(url)
            watch(state.started(at: url))
            control?.say("started", ["url": .string(url)])
        case .committed(let url, let isRestored, let isReload):
            let report = services.pages.commit(url, history: view.history, isRestored: isRestored, isReload: isReload)
            state.committed(
                at: url, isRestored: isRestored,
                version: host.package(of: url).flatMap { report?.versions[$0.text] })
            control?.say("committed", ["url": .string(url), "isRestored": .bool(isRestored)])
        case .finished(let url, let status):
            control?.say("finished", ["url": .string(url), "status": .integer(status)])
            // What the page's scripts have set since its answer: the app's own requests have them from here on.
            Task { await services.cookies.takeFromWebView() }
            finished(url, status)
        case .failed(let url, let reason):
            services.pages.stop(url)
            control?.say("failed", ["url": .string(url), "reason": .string(reason)])
            fail(state.failed(at: url, reason))
        case .stopped(let url):
            services.pages.stop(url)
            state.stopped(at: url)
            control?.say("stopped", ["url": .string(url)])
        case .crashed(let reason):
            control?.say("crashed", ["reason": .string(reason)])
            fail(state.crashed(reason))
        case .message(let json, let pageURL):
            control?.say("message", ["json": .string(json), "url": .string(pageURL)])
            let isReady = json.filter { !$0.isWhitespace } == #"{"ready":true}"#
            if settings.waitsForPage, isReady, let page = state.speakingPage { becomeReady(page) }
        }
    }

    private func finished(_ url: String, _ status: Int) {
        switch state.finished(at: url, status: status, start: address) {
        case .nothing: break
        case .works(let page): confirm(page)
        case .lacks(let missing, let page):
            say("\(url) is not ready: \(missing.joined(separator: ", ")) is not in version \(page.version)")
        case .opensRoot(let root, let page):
            say("\(url) is not in version \(page.version); \(root) is opened in its place")
            view.load(root)
        case .failed(let failure): fail(failure)
        }
    }

    /// The page on view says that its version works: `packtool.confirm()`. A frame of the page's own origin speaks for it; one
    /// of another package or of a stranger does not, whatever it knows.
    func confirm(_ sender: PageBridge.Sender, _ load: PageHook.Load) throws {
        let page = state.page(confirmedBy: load, from: sender.origin) { [services.origin(of: $0)] }
        guard let page else { throw KioskFailure("\(load.package) \(load.version) is not the page on view") }
        if settings.waitsForPage { becomeReady(page) }
    }

    private func becomeReady(_ page: StartedPage) {
        if state.becomesReady(page) { confirm(page) }
    }

    private func confirm(_ page: StartedPage) {
        Task {
            do {
                try await host.confirm(page)
                control?.say(
                    "ready", ["package": .string(page.package.text), "version": .string(page.version.description)])
                trial.end(page)
            } catch {
                say("\(error)")
            }
        }
    }
}
