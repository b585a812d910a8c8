public import PackFormat
public import PackUpdater
import PackWeb

/// The packages of an app. It connects the updater, which keeps versions on the device, with the web side, which
/// answers pages.
///
///     let host = try PackHost(PackHostConfiguration(updater: configuration, schemes: ["h5pack"]))
///     try await host.start()                                     // when the app starts
///     try await host.prepare(shop)                               // before a page is requested
///     let handler = PackSchemeHandler(catalog: host.packages, online: NetworkLoader())
///     // when the answer of a navigation is there, and before it is shown:
///     if case .started(let page) = try await host.startPage(at: url, from: handler.pages) { … }
///     try await host.confirm(page)                               // when the page works
///     try await host.update(.all)                                // in the background, at any time
///
/// 1. A page gets all its files from the version that is active when it starts; ``packages`` has them for every adapter.
/// 2. A start is counted when the device has answered the view's own document and none of its code has run.
/// 3. A package that is not installed installs itself while its pages use it. If a package cannot be shown, the adapters
///    answer with a page that says why; with the channel's gate off they lead to the package's own web site.
/// 4. If a version does not become ready, the device goes back to the previous one: ``VersionTrial``.
///
/// One host for each store and process. It may be used from any thread.
public final class PackHost: Sendable {
    public let updater: Updater
    /// The packages for the adapters: `PackSchemeHandler`, `PageDirectory`, `ViewPages`.
    public let packages: HostPackages
    /// The app's own rules; those of the channel follow them.
    private let rules: WebRules

    /// Opens the store, or creates one. Nothing is fetched.
    /// - Throws: as `Updater.init`: a store of a newer version, faults of the file system.
    public init(_ configuration: PackHostConfiguration) throws {
        updater = try Updater(configuration.updater)
        var settings = WebSettings(schemes: configuration.schemes, rules: configuration.rules)
        settings.loopbackServices = configuration.loopbackServices
        rules = configuration.rules
        packages = HostPackages(settings)
    }

    /// Switches to staged versions, installs presets, and reads what is installed. Call it when the app starts, before
    /// pages open.
    /// - Throws: The fault of a preset, after everything else was done; `UpdateError` if the store cannot be read.
    public func start() async throws {
        do {
            try await updater.start()
        } catch {
            try? await refresh()
            throw error
        }
        try await refresh()
    }

    /// Reports how the pages of this run were served, if the app has turned reports on (`UpdaterConfiguration.reports`).
    /// Call it when the app ends or goes to the background. What it says is sent after the next check.
    public func endSession() async {
        for (package, versions) in packages.takeCounters().sorted(by: { $0.key < $1.key }) {
            for (version, counters) in versions.sorted(by: { $0.key < $1.key }) {
                await updater.reportSession(counters, of: package, version: version)
            }
        }
    }

    // MARK: Packages

    /// Reads the present state of the store, for example after another process has changed it. No start is counted
    /// and nothing is fetched. If one package cannot be read, the others are not affected; its pages say why.
    /// - Throws: `UpdateError` if the store itself cannot be read.
    public func refresh() async throws {
        try await refreshRules()
        for status in try await updater.status() where packages.isOutdated(status) {
            do {
                packages.take(try await updater.pin(status.package), of: status.package, isEnabled: status.isEnabled)
            } catch {
                let absence = WebSettings.Absence(why: "\(error)")
                packages.set(
                    WebSettings.Package(isEnabled: status.isEnabled, absence: absence), nil, of: status.package)
            }
        }
    }

    /// Reads the channel's rules, which another process may have brought.
    func refreshRules() async throws {
        packages.set(rules.followed(by: try await updater.rules()))
    }

    /// Makes a package ready for any frame without counting a start. If it is not installed, it begins to install
    /// itself.
    @discardableResult
    public func prepare(_ package: PackageID) async throws -> OpenedPackage {
        let opened = try await updater.prepare(package)
        try await take(opened, of: package)
        return opened
    }

    /// Opens a package for the view's own page. This counts as a start while its version is not confirmed.
    /// ``startPage(at:documentKey:from:)`` does it at the right moment.
    @discardableResult
    public func open(_ package: PackageID) async throws -> OpenedPackage {
        let opened = try await updater.open(package)
        try await take(opened, of: package)
        return opened
    }

    private func take(_ opened: OpenedPackage, of package: PackageID) async throws {
        // A gate is on until a channel that was verified says otherwise. An error never opens or shuts one: the store keeps
        // the last, and a store that cannot be read throws here, so that nothing of it is served.
        let isEnabled = try await updater.status().first { $0.package == package }?.isEnabled ?? true
        switch opened {
        case .installed(let session), .installing(let session):
            packages.take(session, of: package, isEnabled: isEnabled)
        case .unavailable(let absence):
            packages.set(WebSettings.Package(absence, isEnabled: isEnabled), nil, of: package)
        }
    }

    // MARK: Updates

    /// The result that an update would have now. Nothing is installed, but the channel's gates and rules hold for the pages
    /// that start from now on.
    public func check(_ selection: PackageSelection = .all) async throws -> UpdateReport {
        try await refreshing { try await updater.check(selection) }
    }

    /// Checks for updates and installs them. The page on view keeps its version; the next page gets the new one, as
    /// the configuration's `activation` says. `updater.events()` has the reasons.
    /// - Throws: `UpdateError` where the registry cannot be asked. What is installed can be shown all the same.
    @discardableResult
    public func update(_ selection: PackageSelection = .all) async throws -> UpdateReport {
        try await refreshing { try await updater.update(selection) }
    }

    /// A check that fails may have read a newer channel file before, with another gate or other rules.
    private func refreshing(_ check: () async throws -> UpdateReport) async throws -> UpdateReport {
        let report: UpdateReport
        do {
            report = try await check()
        } catch {
            try? await refresh()
            throw error
        }
        // It is done, also where the store cannot be read just now. The next navigation reads it again.
        try? await refresh()
        return report
    }

    /// Leaves the active version for the one that was confirmed before it, or else the embedded one. The pages that start from
    /// now on have it.
    /// - Returns: the version that is active now; nil: none.
    /// - Throws: as `Updater.rollBack`. Then the version was not left.
    public func rollBack(_ package: PackageID, reason: String) async throws -> SemanticVersion? {
        let active = try await updater.rollBack(package, reason: reason)
        try? await refresh()
        return active
    }
}

extension PackHost {
    /// Keeps packages up to date as `UpdateScheduler` says; the pages that start after a check have what it brought.
    public func scheduler(
        _ selection: PackageSelection = .all, schedule: UpdateSchedule = UpdateSchedule(),
        didCheck: @escaping @Sendable (Result<UpdateReport, any Error>) async -> Void = { _ in }
    ) -> UpdateScheduler {
        UpdateScheduler(
            schedule: schedule, update: { [self] in try await update(selection) },
            poll: { [updater] in (try? await updater.poll()) ?? nil }, didCheck: didCheck)
    }
}
