public import PackFormat

/// One page from its start to its end. Every request of it is answered from the same version of each package.
///
///     let page = PageSession(catalog)
///     switch page.answer(SiteRequest(url: "https://checkout.package/")).way {
///     case .local(let response): …  // status, headers, a range of a file
///     case .arriving(let arrival): …  // the same, when the file has come: await arrival.response()
///     case .online(let url): …      // send the request there
///     }
///     page.close()
///
/// 1. The settings (packages, gate, rules) are read at the page's start and do not change until its end.
/// 2. The first request that needs a package pins its version; if the package is not installed, that is pinned too.
/// 3. Each request is decided without any network; ``report`` says how and why.
public final class PageSession: Sendable {
    private enum Pin {
        case content(any SiteContent)
        case absent
    }

    private struct State {
        var pins: [PackageID: Pin] = [:]
        var isClosed = false
        var starts: [Int: ContinuousClock.Instant] = [:]
        var nextNumber = 0
        var report = PageReport()
        /// The package of the page's document.
        var owner: PackageID?
    }

    private let catalog: any SiteCatalog
    /// The value of ``documentField`` in the document's answer; nil if the page did not begin with a document.
    package let documentKey: String?
    let settings: WebSettings
    let addresses: AddressBook
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Locked(State())

    /// - Parameter now: The clock for the report's times.
    public convenience init(
        _ catalog: any SiteCatalog, now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.init(catalog, documentKey: nil, now: now)
    }

    init(
        _ catalog: any SiteCatalog, documentKey: String?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.catalog = catalog
        self.documentKey = documentKey
        self.now = now
        settings = catalog.settings
        addresses = AddressBook(
            packages: Set(settings.packages.keys), schemes: settings.schemes,
            origins: settings.packages.mapValues(\.origins))
    }

    deinit {
        close()
    }

    /// Whether the URL is a package's, or looks like one and must not go out. Pure and cheap, because engines call it
    /// often.
    public func handles(_ url: String) -> Bool {
        addresses.lookup(url) != .foreign
    }

    /// Whether ``answer(_:)`` would differ from the network's answer. It is false for requests that go out unchanged,
    /// so that an interceptor leaves them alone and the engine keeps its progress events. Nothing is reported.
    public func takes(_ request: SiteRequest) -> Bool {
        decide(request).way != .online(request.url)
    }

    /// As ``takes(_:)`` for a page that has not started. No version is opened, so where the catalog does not tell the
    /// manifest, all below an `origins` prefix counts as taken, and ``answer(_:)`` then sends out what is not there.
    func mayTake(_ request: SiteRequest) -> Bool {
        guard case .site(let address) = addresses.lookup(request.url), case .origin(let origin) = address.form else {
            return addresses.lookup(request.url) != .foreign || takes(request)
        }
        guard settings.packages[address.package]?.isEnabled == true else { return false }
        let host = WebURL(request.url)?.host ?? ""
        let manifest = catalog.manifest(of: address.package)
        var found: PackagePath?
        if let manifest, manifest.origins.contains(origin),
            case .file(let path, _) = SitePath.resolve(address.path, in: manifest, wantsPage: request.wantsPage)
        {
            found = path
        }
        switch rule(host: host, path: address.path, found: found, file: nil)?.action {
        case .online: return false
        case .deny: return true
        case .local, nil: break
        }
        guard request.method == "GET" || request.method == "HEAD" else { return false }
        return manifest == nil || found != nil
    }

    public func answer(_ request: SiteRequest) -> SiteAnswer {
        let start = now()
        let decision = decide(request)
        let answer = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            if number == 0, case .site(let address) = addresses.lookup(request.url) { state.owner = address.package }
            state.starts[number] = start
            let status: Int?
            let outcome: PageReport.Outcome
            switch decision.way {
            case .local(let response):
                status = response.status
                outcome = response.status < 400 ? .local : .missed
            case .arriving:
                status = nil
                outcome = .local
            case .online:
                status = nil
                outcome = .online
            }
            state.report.add(
                PageReport.Entry(
                    number: number, method: request.method, url: request.url, outcome: outcome,
                    reason: decision.reason, detail: decision.detail,
                    destination: request.headers["sec-fetch-dest"], status: status))
            return SiteAnswer(number: number, way: decision.way, reason: decision.reason)
        }
        switch decision.way {
        case .local(let response) where response.status >= 400: count(WebCounters(missed: 1))
        case .local, .arriving: count(WebCounters(local: 1))
        case .online: count(WebCounters(online: 1))
        }
        return answer
    }

    private func count(_ counters: WebCounters) {
        let owner = state.withLock { state -> (PackageID, SemanticVersion)? in
            guard let owner = state.owner, case .content(let content) = state.pins[owner] else { return nil }
            return (owner, content.manifest.version)
        }
        if let owner { catalog.count(counters, of: owner.0, owner.1) }
    }

    /// Call it from a transport when a request has ended, and how.
    /// - Parameters:
    ///   - number: the answer's.
    ///   - status: the status of an online answer; nil keeps the device's own.
    ///   - byteCount: the body's bytes that the page got.
    public func finished(_ number: Int, status: Int? = nil, byteCount: Int) {
        let end = now()
        let isLocal = state.withLock { state in
            guard let start = state.starts.removeValue(forKey: number) else { return false }
            let elapsed = (end - start) / Duration.milliseconds(1)
            state.report.finish(number, status: status, byteCount: byteCount, milliseconds: elapsed)
            return state.report.entries.indices.contains(number) && state.report.entries[number].outcome == .local
        }
        if isLocal { count(WebCounters(byteCount: byteCount)) }
    }

    public var report: PageReport { state.withLock { $0.report } }

    /// Whether there is something at the address, on the device or behind it. Nothing is reported.
    package func answersWell(_ request: SiteRequest) -> Bool {
        switch decide(request).way {
        case .local(let response): response.status < 400
        case .arriving: true
        case .online(let url): url != request.url
        }
    }

    /// Whether the page's version has the file, or the rules or the gate with which the page began decide about it: an older
    /// page of the same address would give what they deny. Nothing is reported.
    func has(_ request: SiteRequest) -> Bool {
        [.installed, .installing, .rule, .gate].contains(decide(request).reason)
    }

    /// Whether the page's version may have no service worker. Nothing is reported.
    func refusesWorker(_ request: SiteRequest) -> Bool { decide(request).reason == .worker }

    /// The version of a package that the page has; nil if the page has not requested the package or it is not
    /// installed.
    public func version(of package: PackageID) -> SemanticVersion? {
        state.withLock { state in
            if case .content(let content) = state.pins[package] { content.manifest.version } else { nil }
        }
    }

    /// The manifest of the version of a package that the page has; nil if it has none.
    public func manifest(of package: PackageID) -> Manifest? {
        state.withLock { state in
            if case .content(let content) = state.pins[package] { content.manifest } else { nil }
        }
    }

    /// Whether a page that starts now would get the same versions.
    var isCurrent: Bool {
        let pins = state.withLock { $0.pins }
        return pins.allSatisfy { package, pin in
            guard case .content(let content) = pin, let active = catalog.manifest(of: package) else { return true }
            return content.manifest.digest == active.digest
        }
    }

    /// The version that the page has of a package, pinned by the first who asks.
    func content(of package: PackageID) -> (any SiteContent)? {
        // Under the lock, so that two first requests at once cannot pin two versions.
        state.withLock { state in
            if state.isClosed { return nil }
            switch state.pins[package] {
            case .content(let content): return content
            case .absent: return nil
            case nil:
                guard let content = try? catalog.content(of: package), content.manifest.package == package else {
                    state.pins[package] = .absent
                    return nil
                }
                state.pins[package] = .content(content)
                state.report.versions[package.text] = content.manifest.version.description
                return content
            }
        }
    }

    /// Releases the versions. Later requests are answered as if nothing were installed.
    public func close() {
        let pins = state.withLock { state in
            defer { state.pins = [:] }
            state.isClosed = true
            return state.pins
        }
        for case .content(let content) in pins.values { content.close() }
    }
}
