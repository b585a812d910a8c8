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
        loads[package] = nil
        defer { hookPages(of: package) }
        let number = attempt.number
        do {
            switch try await host.startPage(at: answer.url, documentKey: answer.documentKey, from: services.pages) {
            case .foreign: break
            case .outdated(_, let version, let other):
                // Its starts or its time are used up, or another has taken its place: its page must not run.
                leave(package, version, for: other)
                return false
            case .started(let page):
                guard attempt.number == number else { return true }
                attempt.page = page
                attempt.version = page.version.description
                loads[package] = page.load
                await trial.begin(page)
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
            if attempt.hasCommitted { attemptOnView = attempt }
            attemptCount += 1
            attempt = Attempt(number: attemptCount, url: url)
            watch(attempt.number)
            control?.say("started", ["url": .string(url)])
        case .committed(let url, let isRestored, let isReload):
            committed(url, isRestored: isRestored, isReload: isReload)
            control?.say("committed", ["url": .string(url), "isRestored": .bool(isRestored)])
        case .finished(let url, let status):
            control?.say("finished", ["url": .string(url), "status": .integer(status)])
            // What the page's scripts have set since its answer: the app's own requests have them from here on.
            Task { await services.cookies.takeFromWebView() }
            finished(url, status)
        case .failed(let url, let reason):
            ended(url)
            control?.say("failed", ["url": .string(url), "reason": .string(reason)])
            fail("\(url) did not load: \(reason)")
        case .stopped(let url):
            ended(url)
            // What was given up says nothing about its version, neither good nor bad.
            if let onView = attemptOnView, !attempt.hasCommitted, attempt.url == url {
                attempt = onView
                attemptOnView = nil
            } else {
                attempt.isOver = true
            }
            control?.say("stopped", ["url": .string(url)])
        case .crashed(let reason):
            control?.say("crashed", ["reason": .string(reason)])
            fail(reason)
        case .message(let json, let pageURL):
            control?.say("message", ["json": .string(json), "url": .string(pageURL)])
            let isReady = json.filter { !$0.isWhitespace } == #"{"ready":true}"#
            if settings.waitsForPage, attempt.hasCommitted, !attempt.isOver, isReady { becomeReady() }
        }
    }

    private func committed(_ url: String, isRestored: Bool, isReload: Bool) {
        let report = services.pages.commit(url, history: view.history, isRestored: isRestored, isReload: isReload)
        attempt.hasCommitted = true
        attemptOnView = nil
        if isRestored || attempt.page == nil {
            // What the engine or a worker had kept, as a page or as its document, says nothing about the version that is
            // installed now, neither good nor bad. A page of the network has none.
            attempt.isOver = true
            attempt.page = nil
            attempt.version = host.package(of: url).flatMap { report?.versions[$0.text] }
        }
    }

    private func finished(_ url: String, _ status: Int) {
        if status == 404, attempt.page != nil {
            miss(url)
        } else if status >= 400 {
            fail("\(url) was answered \(status)")
        } else if !(300..<400).contains(status), !settings.waitsForPage, !attempt.hasFailed, !attempt.isOver {
            let missing = attempt.page?.missingParts ?? []
            if missing.isEmpty {
                becomeReady()
            } else if let version = attempt.version {
                say("\(url) is not ready: \(missing.joined(separator: ", ")) is not in version \(version)")
            }
        }
    }

    /// A load has ended without a page.
    private func ended(_ url: String) {
        services.pages.stop(url)
    }

    /// The page on view says that its version works: `packtool.confirm()`. A frame of the page's own origin speaks for it; one
    /// of another package or of a stranger does not, whatever it knows.
    func confirm(_ sender: PageBridge.Sender, _ load: PageHook.Load) throws {
        guard let page = attempt.page, !attempt.isOver,
            page.isConfirmed(by: load, from: sender.origin, origin: services.origin(of: page.package))
        else { throw KioskFailure("\(load.package) \(load.version) is not the page on view") }
        if settings.waitsForPage { becomeReady() }
    }

    private func becomeReady() {
        guard !attempt.isReady, let page = attempt.page else { return }
        attempt.isReady = true
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
