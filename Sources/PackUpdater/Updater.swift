public import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Moves one device from version to version of its packages without ever leaving it broken.
///
///     let updater = try Updater(UpdaterConfiguration(store: folder, base: registry, channel: stable, root: rootJSON))
///     try await updater.start()                               // when the app starts
///     if let site = try await updater.open(checkout).session {
///         show(site)                                          // counted before any of its code runs
///     }
///     try await updater.confirm(checkout, version: v, loadToken: t)   // when its page says that it works
///     let report = try await updater.update(.all)             // in the background, at any time
///
/// Check, download, verify, install, switch, confirm, or go back: each step is written down before the next begins, so
/// a process can die at any instruction. An error means that nothing changed: what ran before still runs.
public actor Updater {
    public nonisolated let configuration: UpdaterConfiguration
    let store: DeviceStore
    let transport: any UpdateTransport
    private let makeTargets: TargetsMaker
    private var knownTargets: (any SignedTargets)?
    let journal: Journal
    let broadcast = UpdateBroadcast()
    /// The channel that checks look at: the configuration's, until the app switches.
    public private(set) var channel: ChannelName
    /// The sessions that count as the current start of an unconfirmed version: a second page of the same load is no
    /// second start.
    var currentLoads: [PackageID: WeakSession] = [:]
    var readyDeadlines = ReadyDeadlines()
    /// Versions that install themselves while their pages are open.
    var arrivals: [PackageID: Arriving] = [:]
    /// First opens under way, which several pages may wait for.
    var openings: [PackageID: Task<OpenedPackage, any Error>] = [:]
    /// For what pages wait for: more at once, and an answer soon.
    let pageTransport: any UpdateTransport
    let arrivalTurn: UpdateTurn
    let arrivalDownloads = DownloadTurns()
    /// Nil: the app has not turned reports on.
    let reports: ReportOutbox?
    let reportTransport: any ReportTransport
    /// Reports that are being sent.
    var reportSending: Task<Int, Never>?
    /// The update under way.
    var updating: Task<UpdateReport, any Error>?
    /// The versions whose files were looked at in this run of the app.
    var checked: Set<VersionID> = []

    /// Opens the store, or creates one. Nothing is fetched.
    ///
    /// A damaged store opens, so that ``repair()`` can mend it; everything else throws
    /// ``UpdateError/storeIsDamaged(file:reason:)`` until then.
    /// - Throws: ``UpdateError/storeIsNewer(folder:found:supported:)`` and faults of the file system.
    public init(_ configuration: UpdaterConfiguration) throws {
        var pageLimits = configuration.limits
        pageLimits.parallelism = max(pageLimits.parallelism, 8)
        pageLimits.attempts = min(pageLimits.attempts, 2)
        let channel = configuration.channel
        try self.init(
            configuration, transport: Self.transport(configuration, configuration.limits),
            pageTransport: Self.transport(configuration, pageLimits)
        ) { layout, root, transport, now in
            try TrustedTargets(layout: layout, root: root, transport: transport, channel: channel, now: now)
        }
    }

    /// Makes the signed targets from the state in a folder, a root, a transport and a clock.
    package typealias TargetsMaker =
        @Sendable (StoreLayout, [UInt8]?, any UpdateTransport, @escaping @Sendable () -> Date) throws
        -> any SignedTargets

    /// Gets its network and its trust from outside, for tests.
    package init(
        _ configuration: UpdaterConfiguration, transport: any UpdateTransport,
        pageTransport: (any UpdateTransport)? = nil, reportTransport: (any ReportTransport)? = nil,
        targets: @escaping TargetsMaker
    ) throws {
        self.configuration = configuration
        channel = configuration.channel
        self.transport = transport
        self.pageTransport = pageTransport ?? transport
        makeTargets = targets
        store = try DeviceStore(folder: configuration.store)
        reports = configuration.reports.map { [folder = store.layout.reports] settings in
            ReportOutbox(folder: folder, settings: settings, now: configuration.now)
        }
        self.reportTransport = reportTransport ?? HTTPReportTransport(reach: configuration.reach)
        arrivalTurn = UpdateTurn(store: store, patience: max(configuration.patience, .seconds(30)))
        journal = Journal(log: EventLog(file: store.layout.events), now: configuration.now)
    }

    private static func transport(
        _ configuration: UpdaterConfiguration, _ limits: TransferLimits
    ) -> any UpdateTransport {
        configuration.base.isFileURL
            ? FolderTransport(folder: configuration.base)
            : HTTPTransport(base: configuration.base, limits: limits, reach: configuration.reach)
    }

    func targets() throws -> any SignedTargets {
        if let knownTargets { return knownTargets }
        let targets = try makeTargets(store.layout, configuration.root, transport, configuration.now)
        knownTargets = targets
        return targets
    }

    /// Their state in the store is gone.
    func forgetTargets() { knownTargets = nil }

    /// The signed targets of a preset: their state stands apart from the store's, and nothing of it expires.
    func presetTargets(
        _ layout: StoreLayout, root: [UInt8]?, transport: any UpdateTransport
    ) throws -> any SignedTargets {
        try makeTargets(layout, root, transport) { .distantPast }
    }

    // MARK: Starting, opening, confirming

    /// Switches to staged versions and installs presets. Call it when the app starts, before pages open.
    /// - Throws: The fault of a preset, after everything else was done.
    public func start() async throws {
        let isOtherApp = try isOtherApp()
        if isOtherApp { try dropUnfittingStaged() }
        try activate()
        let taken: Result<Void, any Error>
        do { taken = .success(try await takePresets()) } catch { taken = .failure(error) }
        try activate()
        if isOtherApp { try leaveUnfitting() }
        try taken.get()
    }

    /// Looks at another channel from the next check on, such as for an app with a switch for its testers. A check brings what
    /// that channel offers, also where it is older. The choice holds until the updater ends: the app remembers it.
    public func setChannel(_ channel: ChannelName) {
        guard channel != self.channel else { return }
        self.channel = channel
        journal.note(.checked, nil, nil, "the app looks at the channel \(channel) from now on")
    }

    /// Switches to staged versions now. Open pages keep their version. What was staged in one set switches together.
    /// - Returns: the packages that switched, with the version that is active now.
    @discardableResult
    public func activate(_ packages: [PackageID]? = nil) throws -> [PackageID: SemanticVersion?] {
        let switched = try store.change { state in
            state.activate(packages).map { ($0, state[$0.package].active?.isConfirmed ?? false) }
        }
        var result: [PackageID: SemanticVersion?] = [:]
        for (change, isConfirmed) in switched {
            let (package, to) = (change.package, change.to)
            let left = change.from.map { "instead of \($0.id)" } ?? "nothing was active"
            journal.note(.activated, package, to?.id.version, to == nil ? "back to what the app embeds: nothing" : left)
            if let to {
                report(.activated, package, to.id.version, to.release)
                // No page confirms it again: without a word it would count as silent, and so as failed.
                if isConfirmed { report(.confirmed, package, to.id.version, to.release) }
            }
            result[package] = .some(to?.id.version)
        }
        return result
    }

    /// Opens a package for a page: the active version, else the one that the channel offers, which then installs
    /// itself while its pages use it. In the second case the signed metadata is checked and the version's manifest
    /// fetched first.
    public func open(_ package: PackageID) async throws -> OpenedPackage {
        if let session = try openInstalled(package) { return .installed(session) }
        let state = try store.state()[package]
        guard state.isEnabled else { return try unavailable(package, state) }
        if state.active == nil, case .version = state.staged {
            // Nothing runs that it could take the place of.
            try activate([package])
            if let session = try openInstalled(package) { return .installed(session) }
        }
        let opened = try await openArriving(package)
        switch opened {
        case .unavailable: return opened
        case .installing(let session) where countsAsLoad(session): return opened
        case .installing, .installed:
            // It is here by now.
            return try openInstalled(package).map { .installed($0) } ?? opened
        }
    }

    /// Makes a package ready that a page may show in a frame: if it is not here, it begins to install itself. No
    /// start is counted, and nothing that is answered from it can confirm the version. ``open(_:)`` does both for the
    /// page itself.
    public func prepare(_ package: PackageID) async throws -> OpenedPackage {
        if let session = try pin(package) { return .installed(session) }
        let state = try store.state()[package]
        guard state.isEnabled else { return try unavailable(package, state) }
        // One that is active and damaged is left by its next start.
        if state.active != nil { return try await open(package) }
        if case .version = state.staged {
            try activate([package])
            if let session = try pin(package) { return .installed(session) }
        }
        return try await openArriving(package)
    }

    /// Pins the active version for a page, and counts the start of an unconfirmed one before any of its code runs. It
    /// leaves a version that has used up its starts or whose files are damaged.
    /// - Returns: nil if none is installed, or the channel's gate is off. Nothing is fetched.
    public func openInstalled(_ package: PackageID) throws -> PackageSession? {
        let token = Self.randomToken()
        let limit = max(1, configuration.maximumUnconfirmedStarts)
        let layout = store.layout
        let milliseconds = milliseconds
        var notes: [StoreState.Retreat] = []
        let opened = try store.change { state -> (session: PackageSession, started: PackageState.Active?)? in
            var late = isLate(state[package], package)
            if late, let id = state[package].active?.id, !state[package].hasOther {
                // Below the last version there is nothing: it gets its time once more.
                readyDeadlines.end(package)
                readyDeadlines.begin(package, id, at: configuration.uptime())
                late = false
            }
            if !late, state[package].isEnabled, let current = currentLoads[package]?.session,
                Self.isLoad(current, of: state[package])
            {
                return (current, nil)
            }
            // Not for what was confirmed, and so opened before: it opens even where nothing can be written.
            if state[package].active?.isConfirmed != true { state.noteWish(for: package) }
            guard state[package].isEnabled else { return nil }
            if late { notes += state.goBack(package, reason: lateReason, cause: .late) }
            notes += state.leaveUsedUpSet(of: package, limit: limit) { other, id in
                readyDeadlines.age(of: id, other, at: configuration.uptime()) != nil
            }
            // Every round leaves one version, so this ends.
            while true {
                let (outcome, retreats) = state.recordStart(
                    of: package, token: token, limit: limit, now: milliseconds)
                notes += retreats
                guard case .started(let installed) = outcome, let active = state[package].active else { return nil }
                let look = checked.contains(installed.id) ? nil : IdentityLook(layout, package, installed.id)
                guard let found = try store.manifest(of: package, installed.id) else {
                    let left = state.goBack(package, reason: "its files are missing or damaged", cause: .damaged)
                    guard !left.isEmpty else { return nil }
                    notes += left
                    continue
                }
                let left = try leaveDamaged(found.manifest, installed.id, after: look, &state)
                guard left.isEmpty else {
                    notes += left
                    continue
                }
                let pin = try Self.pin(package, installed.id.version, layout)
                let session = PackageSession(
                    package: package, manifest: found.manifest, loadToken: token, layout: layout, pin: pin)
                return (session, active)
            }
        }
        for note in notes { self.note(note.wentBack, of: note.package) }
        guard let (session, started) = opened else { return nil }
        if let active = started, !active.isConfirmed {
            currentLoads[package] = WeakSession(session: session)
            readyDeadlines.begin(package, active.id, at: configuration.uptime())
            journal.note(
                .started, package, session.version,
                "start \(active.starts) of \(limit) that it has to be confirmed in")
        }
        return session
    }

    /// Now, since 1970.
    var milliseconds: Int { Int((configuration.now().timeIntervalSince1970 * 1000).rounded()) }

    /// Pins a version against collections. On a full disk, where no pin can be made, its manifest is what is locked.
    static func pin(
        _ package: PackageID, _ version: SemanticVersion, _ layout: StoreLayout
    ) throws(UpdateError) -> FileLock {
        do {
            try Durable.makeFolder(layout.pins)
            return try Durable.lock(layout.pin(package, version), .shared)
        } catch {
            guard case .diskIsFull = error else { throw error }
            let manifest = layout.tree(package, version).appending(path: Manifest.fileName)
            return try Durable.lock(manifest, .shared, creating: false)
        }
    }

    /// Whether an open session is a load of the active, still unconfirmed version.
    private static func isLoad(_ session: PackageSession, of state: PackageState) -> Bool {
        state.active.map { !$0.isConfirmed && $0.loads.contains(session.loadToken) } ?? false
    }

    /// Confirms a version on behalf of a page or the app.
    /// - Parameter loadToken: The token of that page's session. If the version is still installing itself, the
    ///   confirmation is kept until all of it is here.
    /// - Throws: ``UpdateError/notConfirmed(_:reason:)`` if the page has another version or load.
    public func confirm(_ package: PackageID, version: SemanticVersion, loadToken: String) throws {
        if keepsConfirmation(package, version, loadToken) { return }
        let outcome = try store.change { state in state[package].confirm(version, token: loadToken) }
        switch outcome {
        case .confirmed(let installed):
            report(.confirmed, package, version, installed.release)
            currentLoads[package] = nil
            readyDeadlines.end(package)
            journal.note(.confirmed, package, version, "a load of it said that it works")
        case .alreadyConfirmed: break
        case .refused(let reason):
            journal.note(.confirmationRefused, package, version, reason)
            throw UpdateError.notConfirmed(package, reason: reason)
        }
    }

    /// Leaves the active version for the one that was confirmed before it, or else the embedded one.
    /// - Parameter suspect: the manifest of the version that is meant; nil: whichever is active. Another one stays.
    /// - Returns: the version that is active now; nil: none.
    /// - Throws: ``UpdateError/nothingToGoBackTo(_:)``, also where `suspect` is not active any more, or the only version.
    @discardableResult
    public func rollBack(
        _ package: PackageID, from suspect: Digest? = nil, reason: String = "somebody asked for it"
    ) throws -> SemanticVersion? {
        let (isActive, wentBack) = try store.change { state in
            let active = state[package].active
            let isMeant = suspect == nil || (active?.id.manifest == suspect && state[package].hasOther)
            return (active != nil, isMeant ? state.goBack(package, reason: reason) : [])
        }
        guard isActive else { throw UpdateError.notInstalled(package) }
        guard let own = wentBack.first else { throw UpdateError.nothingToGoBackTo(package) }
        for retreat in wentBack { note(retreat.wentBack, of: retreat.package) }
        return own.wentBack.to?.id.version
    }

    func note(_ wentBack: PackageState.WentBack, of package: PackageID) {
        readyDeadlines.end(package)
        report(wentBack, of: package)
        journal.note(.failed, package, wentBack.from.id.version, wentBack.reason)
        let to = wentBack.to.map { "back to \($0.id)" } ?? "no earlier version is here"
        journal.note(
            .rolledBack, package, wentBack.to?.id.version, "\(to), because of \(wentBack.from.id): \(wentBack.reason)")
    }

    // MARK: Looking

    /// The state of every package, in the order of their ids.
    public func status() throws -> [PackageStatus] {
        try store.state().packages.sorted { $0.key < $1.key }.map { PackageStatus(package: $0.key, state: $0.value) }
    }

    /// The web rules of the channel, as of the last check; nil if it has none. They come after the app's own.
    public func rules() throws -> WebRules? { try store.state().rules }

    /// How often the channel asks devices to look, as of the last check; nil if it does not say.
    public func poll() throws -> ChannelPoll? { try store.state().poll }

    /// The newest events, oldest first: what happened and why.
    public func events(of package: PackageID? = nil, limit: Int = 200) -> [Event] {
        let events = journal.log.events(limit: package == nil ? limit : .max)
        guard let package else { return events }
        return Array(events.filter { $0.package == package || $0.package == nil }.suffix(limit))
    }

    /// The tokens of the loads that may confirm the active version, the newest last.
    package func loadTokens(of package: PackageID) throws -> [String] {
        try store.state()[package].active?.loads ?? []
    }

    static func randomToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
    }

    struct WeakSession {
        weak var session: PackageSession?
    }
}
