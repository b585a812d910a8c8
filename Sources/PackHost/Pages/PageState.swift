public import PackFormat
public import PackWeb

/// The pages of one view: which one is on view, which one is under way, whether it works, and what follows if it does
/// not. It has no web view and no clock. The view tells it of its navigations, and does what it answers.
///
///     var state = PageState(PageState.Home(package: shop, origin: "https://shop.package", path: "/"))
///     let number = state.started(at: url)           // a navigation of the main frame
///     state.answered(by: page, in: number)          // if `PackHost.startPage` says `.started`
///     state.committed(at: url, isRestored: false)
///     switch state.finished(at: url, status: 200, start: url) { … }
///
/// 1. A page speaks for its version, and against it, only if the device has answered its document.
/// 2. A load that was given up says nothing. Until the next page has committed, the one before it is on view.
/// 3. A page that fails is told once. If it is the package's own, its version is the suspect; `VersionTrial` decides.
/// 4. A path that a version does not have is no reason to leave the version, but `/` is.
///
/// The kiosk of Linux and `PackageNavigation` of Apple's platforms are built on it.
public struct PageState: Sendable {
    /// What the view is there for.
    public struct Home: Sendable {
        let package: PackageID
        let origin: String
        let path: String

        /// - Parameters:
        ///   - origin: the origin of the package's pages in this view, such as `https://shop.package`.
        ///   - path: the path to open.
        public init(package: PackageID, origin: String, path: String) {
            (self.package, self.origin, self.path) = (package, origin, path)
        }
    }

    /// Whether a page counts as working when it has loaded with all its scripts and styles. If it is false, the page
    /// must say so itself.
    public var confirmsLoadedPages = true
    /// The page that is on view or under way.
    public private(set) var attempt = PageAttempt(number: 0)
    /// What the next page of a package may confirm, for its page hook.
    public private(set) var loads: [PackageID: PageHook.Load] = [:]

    private let home: Home?
    private let readyTimeout: Duration
    private var count = 0
    /// The page on view while the one of the attempt is under way, which may turn out to be a download.
    private var onView: PageAttempt?
    /// The version that has nothing at the path to open.
    private var lacksPath: Digest?
    private var ends = EndedProcesses()
    private var isProcessGone = false
    private var isEmpty = false
    private var expectsFailurePage = false

    /// - Parameters:
    ///   - home: nil: all packages are the view's own, and no path is theirs to open.
    ///   - readyTimeout: how long a page may take to be ready.
    public init(_ home: Home? = nil, readyTimeout: Duration = .seconds(30)) {
        self.home = home
        self.readyTimeout = readyTimeout
    }

    // MARK: Navigations

    /// A navigation of the main frame has started.
    /// - Returns: the number of the attempt.
    @discardableResult
    public mutating func started(at url: String) -> Int {
        if attempt.hasCommitted { onView = attempt }
        count += 1
        attempt = PageAttempt(number: count)
        attempt.url = url
        attempt.isFailurePage = expectsFailurePage
        (expectsFailurePage, isProcessGone, isEmpty) = (false, false, false)
        return count
    }

    /// The answer of a navigation is there, and its page may be shown: what pages of the package could confirm before
    /// is over, also before ``answered(by:in:)``.
    public mutating func forgetLoad(of package: PackageID) { loads[package] = nil }

    /// The device has answered the document of an attempt, and its start was counted.
    /// - Returns: false if another navigation has started meanwhile.
    @discardableResult
    public mutating func answered(by page: StartedPage, in number: Int) -> Bool {
        guard attempt.number == number, !attempt.isFailurePage else { return false }
        attempt.page = page
        attempt.version = page.version.description
        loads[page.package] = page.load
        return true
    }

    /// The page of the attempt is on view. What the engine or a service worker had kept, as a page or as its document,
    /// says nothing about the version that is installed now. A page of the network has none.
    /// - Parameters:
    ///   - isRestored: whether the engine had kept the page for back and forward.
    ///   - version: the version of such a page.
    public mutating func committed(at url: String, isRestored: Bool, version: @autoclosure () -> String? = nil) {
        attempt.url = url
        attempt.hasCommitted = true
        onView = nil
        isProcessGone = false
        guard isRestored || attempt.page == nil else { return }
        attempt.isOver = true
        attempt.page = nil
        attempt.version = version()
    }

    /// The page on view and all its parts have loaded.
    /// - Parameters:
    ///   - status: the HTTP status of its document; 0 if it has none.
    ///   - start: the address of the path to open, as ``path(of:)`` says it.
    public mutating func finished(at url: String, status: Int, start: String) -> PageVerdict {
        guard !attempt.isFailurePage else { return .nothing }
        if status == 404, let page = attempt.page { return missed(url, page, start) }
        if status >= 400 { return verdict(fail("\(url) was answered \(status)")) }
        guard !(300..<400).contains(status), confirmsLoadedPages, !attempt.hasFailed, !attempt.isOver,
            let page = attempt.page
        else { return .nothing }
        let missing = page.missingParts
        guard missing.isEmpty else { return .lacks(missing, page) }
        return becomesReady(page) ? .works(page) : .nothing
    }

    /// A navigation brought no page, or its page broke off.
    /// - Returns: nil if this attempt has failed before.
    public mutating func failed(at url: String, _ reason: String) -> PageFailure? {
        fail("\(url) did not load: \(reason)")
    }

    /// A load was given up, by the user or for another one, or became a download. No page has failed.
    public mutating func stopped(at url: String) {
        if let before = onView, !attempt.hasCommitted, attempt.url == url {
            attempt = before
            onView = nil
        } else {
            attempt.isOver = true
        }
    }

    /// The next navigation is a page of the app itself that says what has failed. It says nothing about a version.
    public mutating func showsFailure() { expectsFailurePage = true }

    // MARK: The page's process

    /// The process of the page has crashed.
    /// - Returns: nil if this attempt has failed before.
    public mutating func crashed(_ reason: String) -> PageFailure? {
        (isProcessGone, onView) = (true, nil)
        return fail(reason)
    }

    /// The process of the page has ended, and the system may have ended it to get its memory. That says nothing about
    /// the version, so the last page is to be loaded again when somebody sees the view (``takeEmpty()``).
    /// - Returns: not nil if it has ended again and again (``EndedProcesses``), which is the page's fault.
    public mutating func processEnded(at now: ContinuousClock.Instant) -> PageFailure? {
        let page = pageOnView
        (isProcessGone, onView) = (true, nil)
        isEmpty = ends.showsAgain(at: now)
        guard !isEmpty else { return nil }
        let suspect = page.flatMap { isOwn($0) ? $0.digest : nil }
        return fail("the page's process has ended again and again", of: suspect, isAgain: true)
    }

    /// - Returns: whether the view is empty because its process has ended, and its last page is to be loaded now. It
    ///   is said once.
    public mutating func takeEmpty() -> Bool {
        defer { isEmpty = false }
        return isEmpty
    }

    // MARK: Questions

    /// The page on view if the device has answered its document; otherwise nil.
    public var pageOnView: StartedPage? {
        guard !isProcessGone else { return nil }
        return attempt.hasCommitted ? attempt.page : onView?.page
    }

    /// The page on view if it may say that its version works: nil while another one is under way, and if its load was
    /// given up.
    public var speakingPage: StartedPage? {
        attempt.hasCommitted && !attempt.isOver && !isProcessGone ? attempt.page : nil
    }

    /// Whether a page of another site is on view, such as a login page: it is not taken away.
    public var isElsewhere: Bool {
        guard let home, attempt.hasCommitted, !isOwn else { return false }
        return !attempt.url.hasPrefix(home.origin + "/")
    }

    /// Names the load of a version that is on view; nil if another page is on view, or none yet.
    public func load(of version: Digest) -> Int? {
        attempt.hasCommitted && !isProcessGone && attempt.page?.digest == version ? attempt.number : nil
    }

    /// The path to open: `/` where the version has nothing at the one that was asked for.
    /// - Parameter active: the active version; nil: none.
    public func path(of active: Digest?) -> String {
        guard let home, lacksPath == nil || active != lacksPath else { return "/" }
        return home.path
    }

    // MARK: Confirmations

    /// The page that a confirmation belongs to: the one on view, or the one that is about to be. A frame of the page's
    /// own origin speaks for it; one of another package or of a stranger does not, whatever it knows.
    /// - Parameters:
    ///   - load: the load that the page reported.
    ///   - sender: the origin that the message came from.
    ///   - origins: the origins of a package's pages in this view.
    public func page(
        confirmedBy load: PageHook.Load, from sender: String, origins: (PackageID) -> [String]
    ) -> StartedPage? {
        guard !isProcessGone else { return nil }
        let speaking = attempt.page == nil && !attempt.hasCommitted ? onView : attempt
        guard let speaking, !speaking.isOver, let page = speaking.page,
            origins(page.package).contains(where: { page.isConfirmed(by: load, from: sender, origin: $0) })
        else { return nil }
        return page
    }

    /// A page has shown that it works.
    /// - Returns: whether its version is to be confirmed now; false if the page is neither on view nor about to be, or
    ///   was ready before.
    public mutating func becomesReady(_ page: StartedPage) -> Bool {
        if attempt.page?.page === page.page {
            defer { attempt.isReady = true }
            return !attempt.isReady
        }
        guard let before = onView, before.page?.page === page.page else { return false }
        onView?.isReady = true
        return !before.isReady
    }

    // MARK: Failures

    /// ``init(_:readyTimeout:)``'s time is over for an attempt. A page that hangs says nothing, so time speaks for it.
    /// - Returns: nil if the page is ready, or another one is under way, or there is no version to confirm: then the
    ///   page is there, and that is enough.
    public mutating func timeIsOver(of number: Int) -> PageFailure? {
        guard attempt.number == number, !attempt.isReady, !attempt.isOver, isOwn || !attempt.hasCommitted else {
            return nil
        }
        return fail(notReady, mayHang: true)
    }

    var notReady: String {
        let missing = attempt.page?.missingParts ?? []
        let why = missing.isEmpty ? "" : ": \(missing.joined(separator: ", ")) is not in its version"
        return "the page was not ready in \(readyTimeout.components.seconds) s\(why)"
    }

    private var isOwn: Bool { attempt.page.map(isOwn) ?? false }

    private func isOwn(_ page: StartedPage) -> Bool { home == nil || page.package == home?.package }

    /// The way in is tried at `/`. The version is left for it only where nothing is at `/` either.
    private mutating func missed(_ url: String, _ page: StartedPage, _ start: String) -> PageVerdict {
        let root = home.map { $0.origin + "/" }
        if let root, isOwn(page), url == start, url != root {
            lacksPath = page.digest
            return .opensRoot(root, page)
        }
        return verdict(fail("\(url) was answered 404", isMiss: url != root))
    }

    private func verdict(_ failure: PageFailure?) -> PageVerdict { failure.map { .failed($0) } ?? .nothing }

    /// - Parameters:
    ///   - suspect: the version that it speaks against; nil: that of the attempt's page.
    ///   - isMiss: whether only a page of the version is missing, which is no reason to leave it.
    ///   - isAgain: whether it is told also if the attempt has failed before.
    mutating func fail(
        _ reason: String, of suspect: Digest? = nil, isMiss: Bool = false, isAgain: Bool = false, mayHang: Bool = false
    ) -> PageFailure? {
        guard isAgain || !attempt.hasFailed && !attempt.isFailurePage else { return nil }
        attempt.hasFailed = true
        let own = isOwn && !attempt.isOver ? attempt.page?.digest : nil
        return PageFailure(
            attempt: attempt.number, reason: reason, suspect: isMiss ? nil : suspect ?? own, mayHang: mayHang)
    }
}
