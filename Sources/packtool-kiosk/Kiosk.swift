import Foundation
import PackFormat
import PackJSON
import PackProxy
import PackUpdater
import PackWeb
import PackWebKitGTK

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One window with one package: start, show, confirm or go back, update.
@MainActor
final class Kiosk {
    /// One attempt to show a page.
    private struct Attempt {
        let number: Int
        var url = ""
        var session: PackUpdater.PackageSession?
        var version: String?
        /// Until then the page before it is the one on view, and speaks.
        var hasCommitted = false
        var isReady = false
        var hasFailed = false
        var isOver = false
    }

    let settings: KioskSettings
    let updater: Updater
    let pages: any PageSource
    /// Told of the view's loads where requests do not name their page.
    private let viewPages: ViewPages?
    /// Told of the view's pages where requests do.
    private let directory: PageDirectory?
    let packages: InstalledPackages
    private let online: OnlineSession
    private let cookies: CookieKeeper
    private let proxy: LoopbackProxy?
    private let control: KioskControl?
    private(set) var view: PackageView
    let bridge: PageBridge
    private var attempt = Attempt(number: 0)
    private var attemptCount = 0
    /// The page on view while the one of the attempt is under way, which may turn out to be a download.
    private var attemptOnView: Attempt?

    init(_ settings: KioskSettings) async throws {
        self.settings = settings
        updater = try Updater(settings.updater)
        // Of this kiosk only: other programs of the user have theirs.
        cookies = CookieKeeper(native: try settings.cookieStore())
        online = OnlineSession(cookies: cookies)
        packages = InstalledPackages(
            updater: updater, schemes: [settings.scheme], rules: settings.rules,
            loopbackServices: settings.loopbackServices)
        let bodies = BodyStore()
        let transport: PackageViewConfiguration.Transport
        if settings.usesProxy {
            viewPages = nil
            let directory = PageDirectory(packages)
            self.directory = directory
            pages = directory
            let proxy = LoopbackProxy(pages: pages, online: online)
            let host = "\(settings.package).\(SiteAddress.virtualSuffix)"
            let access = try await proxy.start(hosts: [host])
            transport = .proxy(address: access.address, certificate: access.certificate, hosts: [host])
            self.proxy = proxy
        } else {
            let viewPages = ViewPages(packages)
            self.viewPages = viewPages
            directory = nil
            pages = viewPages
            let driver = SchemeTaskDriver(pages: pages, online: online, bodies: bodies) {
                .serial(label: "packtool-kiosk.task")
            }
            transport = .scheme(settings.scheme, driver)
            proxy = nil
        }
        guard let view = PackageView(settings.view(transport)) else {
            throw KioskFailure("the web view cannot be made: is there a display?")
        }
        self.view = view
        let confirmations = Confirmations()
        bridge = Self.bridge(
            pages: pages, online: online, bodies: bodies, cookies: cookies,
            allowsMixedContent: settings.allowsMixedContent
        ) {
            try await confirmations.confirm($0, $1, $2)
        }
        cookies.attach(view.cookieStore)
        control = settings.takesCommands ? KioskControl() : nil
        confirmations.kiosk = self
    }

    /// Shows the package; returns when the first page is under way.
    func start() async throws {
        view.willNavigate = { [weak self] url in await self?.willNavigate(to: url) }
        view.willShow = { [weak self] _ in await self?.cookies.takeFromWebView() }
        view.didChange = { [weak self] event in self?.changed(event) }
        control?.start { [weak self] command in await self?.perform(command) ?? .failed("the kiosk is closing") }
        try await updater.start()
        // One that is not here installs itself while its pages come.
        try await packages.open(settings.package)
        view.load(address)
        startUpdating()
        Task { await FreeMemory.giveBack() }
    }

    /// The page's address, in the form that the transport serves.
    var address: String {
        let place = SiteAddress(package: settings.package)
        let base = settings.usesProxy ? place.virtualURL : place.url(scheme: settings.scheme)
        return String(base.dropLast()) + settings.path
    }

    /// The version that the page on view started with.
    var shownVersion: String? { attempt.version }

    /// - Returns: whether something changed.
    @discardableResult
    func update() async -> Bool {
        do {
            let report = try await updater.update(.list([settings.package]))
            for entry in report.entries { say("update: \(entry.package): \(entry.why)") }
            control?.say("updated", ["changed": .bool(report.isChanged)])
            return report.isChanged
        } catch {
            // Offline is a normal state of a kiosk: what is installed is shown.
            say("no update: \(error)")
            control?.say("updated", ["changed": false, "reason": .string("\(error)")])
            return false
        }
    }

    private func startUpdating() {
        Task {
            // The page that people wait for comes first.
            try? await Task.sleep(for: .seconds(2))
            while true {
                // Where nothing was installed, the view shows an error that no user can leave.
                let isEmpty = packages.session(of: settings.package) == nil
                if await update(), settings.showsUpdates || isEmpty { view.load(address) }
                guard let interval = settings.updateInterval else { return }
                try? await Task.sleep(for: interval)
            }
        }
    }

    private func willNavigate(to url: String) async {
        await cookies.giveToWebView()
        guard let package = InstalledPackages.package(of: url, scheme: settings.scheme) else { return }
        view.acceptProxyCertificate(from: ["\(package).\(SiteAddress.virtualSuffix)"])
        do {
            let opened = try await packages.open(package)
            switch opened {
            case .installed: break
            case .installing(let session): say("\(package) \(session.version) installs itself while it is shown")
            case .unavailable(let absence): say("\(package) cannot be shown: \(absence.why)")
            }
        } catch {
            say("\(package) cannot be opened: \(error)")
        }
        hookPages(of: package)
    }

    private func changed(_ event: PackageView.Event) {
        switch event {
        case .started(let url):
            viewPages?.start(url)
            let session = InstalledPackages.package(of: url, scheme: settings.scheme).flatMap {
                packages.session(of: $0)
            }
            if attempt.hasCommitted { attemptOnView = attempt }
            attemptCount += 1
            attempt = Attempt(
                number: attemptCount, url: url, session: session, version: session?.version.description)
            watch(attempt.number)
            control?.say("started", ["url": .string(url)])
        case .committed(let url, let isRestored, let isReload):
            let history = view.history
            let page =
                viewPages.map { $0.commit(url, history: history, isReload: isReload) }
                ?? directory?.commit(url, history: history, isRestored: isRestored, isReload: isReload)
            let package = InstalledPackages.package(of: url, scheme: settings.scheme)
            let version = package.flatMap { page?.versions[$0.text] }
            attempt.hasCommitted = true
            if isRestored || version != nil && version != attempt.version {
                // What the engine had kept, as a page or as its document, says nothing about the version that is installed
                // now, neither good nor bad.
                attempt.isOver = true
                attempt.version = version
            }
            attemptOnView = nil
            control?.say("committed", ["url": .string(url), "isRestored": .bool(isRestored)])
        case .finished(let url, let status):
            control?.say("finished", ["url": .string(url), "status": .integer(status)])
            // What the page's scripts have set since its answer: the app's own requests have them from here on.
            Task { await cookies.takeFromWebView() }
            if status >= 400 {
                fail("\(url) was answered \(status)")
            } else if !(300..<400).contains(status), !settings.waitsForPage, !attempt.hasFailed, !attempt.isOver {
                becomeReady()
            }
        case .failed(let url, let reason):
            viewPages?.stop(url)
            control?.say("failed", ["url": .string(url), "reason": .string(reason)])
            fail("\(url) did not load: \(reason)")
        case .stopped(let url):
            viewPages?.stop(url)
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

    /// A page that hangs says nothing: time speaks for it.
    private func watch(_ number: Int) {
        Task {
            try? await Task.sleep(for: settings.readyTimeout)
            // Another page has no version to confirm: it is there, and that is enough.
            if attempt.number == number, !attempt.isReady, !attempt.isOver, isOwn || !attempt.hasCommitted {
                fail("the page was not ready in \(settings.readyTimeout.components.seconds) s")
            }
        }
    }

    /// The page on view says that its version works: `packtool.confirm()`.
    func confirm(_ package: String, _ version: String, _ token: String) throws {
        guard let session = attempt.session, session.package.text == package,
            session.version.description == version, session.loadToken == token
        else { throw KioskFailure("\(package) \(version) is not the page on view") }
        if settings.waitsForPage { becomeReady() }
    }

    private func becomeReady() {
        guard !attempt.isReady, let session = attempt.session else { return }
        attempt.isReady = true
        Task {
            do {
                try await updater.confirm(session.package, version: session.version, loadToken: session.loadToken)
                control?.say(
                    "ready",
                    ["package": .string(session.package.text), "version": .string(session.version.description)])
            } catch {
                say("\(error)")
            }
        }
    }

    private var isOwn: Bool { attempt.session?.package == settings.package }

    /// Goes back where the version was never confirmed; else the start is shown again after a while. No user can leave an
    /// error by himself, whichever page it is.
    private func fail(_ reason: String) {
        guard !attempt.hasFailed else { return }
        attempt.hasFailed = true
        say(reason)
        let number = attempt.number
        let own = isOwn && !attempt.isOver ? attempt.session : nil
        Task {
            let status = try? await updater.status().first { $0.package == settings.package }
            if let session = own, status?.active == session.version, status?.isConfirmed == false {
                let version = try? await updater.rollBack(session.package, reason: reason)
                say("\(session.package) \(session.version) does not work; back to \(version?.description ?? "none")")
                control?.say(
                    "rolledBack",
                    ["from": .string(session.version.description), "to": .string(version?.description ?? "")])
            } else {
                try? await Task.sleep(for: .seconds(5))
            }
            if attempt.number == number { view.load(address) }
        }
    }

    func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// Leads the bridge, which is made before the kiosk is whole, to it.
@MainActor
private final class Confirmations {
    weak var kiosk: Kiosk?

    func confirm(_ package: String, _ version: String, _ token: String) throws {
        guard let kiosk else { throw KioskFailure("the kiosk is closing") }
        try kiosk.confirm(package, version, token)
    }
}
