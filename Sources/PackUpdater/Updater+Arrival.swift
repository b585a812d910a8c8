import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Updater {
    /// A version that installs itself while its pages are open.
    struct Arriving {
        let arrival: PackageArrival
        weak var session: PackageSession?
        /// Of the pages that were opened; none if only frames of other pages show it.
        var tokens: [String] = []
        /// One of them said that it works, before all of the version was here.
        var isConfirmed = false
        /// An attempt to complete it came to nothing: the next open looks anew at what the channel offers.
        var hasFailed = false
        /// The completion under way.
        var completing: Task<Bool, Never>?
    }

    /// Opens a page of a package that is not installed. It fetches the manifest as an install does: by freshly
    /// refreshed metadata, the channel's offer and the publisher's role. Without it there is no page.
    func openArriving(_ package: PackageID) async throws -> OpenedPackage {
        if let known = arrivals[package], !known.hasFailed {
            return .installing(try session(of: package, known.arrival))
        }
        // Several pages, or requests of one, wait for one check.
        if let opening = openings[package] { return try await opening.value }
        let opening = Task { try await self.arrive(package) }
        openings[package] = opening
        defer { openings[package] = nil }
        return try await opening.value
    }

    private func arrive(_ package: PackageID) async throws -> OpenedPackage {
        let arrival: PackageArrival
        do {
            let found = try await arrivalTurn.hold { try await self.beginning(of: package) }
            switch found {
            case .arrival(let begun): arrival = begun
            case .opened(let opened): return opened
            }
        } catch let error as UpdateError {
            journal.note(.refused, package, nil, "no page of it is shown: \(error)")
            switch error {
            case .storeIsNewer, .storeIsDamaged, .fileFailed: throw error
            default:
                return .unavailable(UnavailablePackage(why: "\(error)", isUnreachable: error.isUnreachable))
            }
        }
        let before = arrivals[package].flatMap { $0.arrival.job.id == arrival.job.id ? $0 : nil }
        // Pages of an attempt that failed are pages of this version all the same.
        arrivals[package] = Arriving(
            arrival: arrival, tokens: before?.tokens ?? [], isConfirmed: before?.isConfirmed ?? false)
        let session = try session(of: package, arrival)
        completeInBackground(package, arrival)
        return .installing(session)
    }

    private enum Beginning: Sendable {
        case arrival(PackageArrival)
        /// The package is installed by now, or there is nothing to show.
        case opened(OpenedPackage)
    }

    /// Runs under the update lock.
    private func beginning(of package: PackageID) async throws -> Beginning {
        // Another process may have had the lock before.
        if let session = try pin(package) { return .opened(.installed(session)) }
        try Durable.makeFolder(store.layout.downloads)
        let offers = try await firstDecision(.list([package]))
        guard let offer = offers.first else {
            return .opened(.unavailable(UnavailablePackage(why: "the channel does not have the package")))
        }
        let group = OfferGroup.groups(of: offers).first { $0.offers.contains { $0.package == package } }
        if let group, group.changesMore(than: package) {
            // Packages of its set run here in an older version: all of the set comes before any page of it. Somebody waits
            // for that page, so no policy of the set delays it.
            _ = try await install(group.offers, isAwaited: true)
            try activate([package])
            if let session = try pin(package) { return .opened(.installed(session)) }
            return .opened(try unavailable(package, store.state()[package], because: offer.decision.summary))
        }
        guard case .install(let id, let mark) = offer.decision.choice else {
            if case .embedded = offer.decision.choice {
                _ = try settle(offer)
                try activate([package])
                if let session = try pin(package) { return .opened(.installed(session)) }
            }
            let state = try store.state()[package]
            return .opened(try unavailable(package, state, because: offer.decision.summary))
        }
        let job = InstallJob(package: package, id: id, release: mark, why: offer.decision.summary)
        let installer = try arrivalInstaller()
        let run = UpdateRun(installer: installer, appVersion: configuration.appVersion, parallelism: 1)
        let verified = try await run.manifest(of: job)
        let objects = ObjectStore(layout: store.layout)
        let all = Set(verified.manifest.files.values.map { Object(digest: $0.digest, size: $0.size) })
        try installer.requireSpace(for: objects.missing(among: Array(all)))
        let download = ObjectDownload(
            objects: objects, transport: pageTransport, turns: arrivalDownloads, isSynced: false)
        return .arrival(
            PackageArrival(
                job, verified, companions: try companions(of: offer), download: download, turn: arrivalTurn,
                hold: try hold(verified)))
    }

    /// What the other packages of an offer's set may run when it is active: the set's version, or what they run now.
    private func companions(of offer: Offer) throws -> [PackageID: Set<VersionID>] {
        let state = try store.state()
        var versions: [PackageID: Set<VersionID>] = [:]
        for package in offer.companions {
            versions[package] = Set([offer.companionVersions[package], state[package].active?.id].compactMap(\.self))
        }
        return versions
    }

    /// Writes down that the version is on its way, so that no collection takes what came of it.
    private func hold(_ verified: VerifiedManifest) throws -> FileLock {
        let url = store.layout.arriving(verified.manifest.package, verified.manifest.version)
        try Durable.makeFolder(store.layout.arriving)
        if try Durable.readSound(url, maximumByteCount: verified.bytes.count) != verified.bytes {
            try Durable.write(verified.bytes, to: url)
        }
        return try Durable.lock(url, .shared, creating: false)
    }

    private func arrivalInstaller() throws -> Installer {
        Installer(
            store: store, transport: transport, targets: try targets(), journal: journal, turns: arrivalDownloads,
            broadcast: broadcast)
    }

    private func session(of package: PackageID, _ arrival: PackageArrival) throws -> PackageSession {
        if let session = arrivals[package]?.session { return session }
        let manifest = arrival.verified.manifest
        let session = PackageSession(
            package: package, manifest: manifest, loadToken: Self.randomToken(), layout: store.layout,
            pin: try Self.pin(package, manifest.version, store.layout), arrival: arrival)
        arrivals[package]?.session = session
        return session
    }

    /// Takes an open page for the first start of a version that is installing itself.
    /// - Returns: false if it is installed by now.
    func countsAsLoad(_ session: PackageSession) -> Bool {
        let package = session.package
        guard let known = arrivals[package], known.arrival.job.id.manifest == session.manifest.digest else {
            return false
        }
        guard !known.tokens.contains(session.loadToken) else { return true }
        arrivals[package]?.tokens.append(session.loadToken)
        journal.note(.started, package, session.version, "it installs itself while its pages use it")
        return true
    }

    func unavailable(
        _ package: PackageID, _ state: PackageState, because why: String = "no version of it is installed"
    ) throws -> OpenedPackage {
        guard !state.isEnabled else { return .unavailable(UnavailablePackage(why: why)) }
        let gate =
            state.awaitedSet.map {
                "the channel's feature gate is on again, and its version of the set \($0) is not here yet"
            }
            ?? "the channel's feature gate is off"
        let known = try state.kept.lazy.compactMap { [store] in try store.manifest(of: package, $0.id) }.first
        return .unavailable(
            UnavailablePackage(why: gate, origins: known?.manifest.origins ?? []))
    }

    // MARK: Completing

    /// Fetches what no page has requested. If the network is unreachable, it tries again, later each time.
    private func completeInBackground(_ package: PackageID, _ arrival: PackageArrival) {
        Task { [weak self] in
            for attempt in 0..<Self.completionAttempts {
                try? await arrival.waitUntilQuiet()
                guard let self else { return }
                if await self.complete(package, arrival) { return }
                try? await Task.sleep(for: .seconds(1 << attempt))
            }
        }
    }

    /// The last wait is of four minutes; after that an update, or the next open, takes it up.
    private static let completionAttempts = 9

    /// - Returns: Whether nothing is left to do.
    private func complete(_ package: PackageID, _ arrival: PackageArrival) async -> Bool {
        // An update brings it too, unless it is of other packages.
        await waitForUpdate()
        guard let known = arrivals[package], known.arrival === arrival else { return true }
        if let completing = known.completing { return await completing.value }
        let completing = Task {
            do {
                try await arrivalTurn.hold { try await self.install(package, arrival) }
                return true
            } catch {
                journal.note(.fellBack, package, arrival.job.id.version, "the rest of it did not come: \(error)")
                return false
            }
        }
        arrivals[package]?.completing = completing
        let isDone = await completing.value
        if arrivals[package]?.arrival === arrival {
            arrivals[package]?.completing = nil
            arrivals[package]?.hasFailed = !isDone
        }
        return isDone
    }

    /// Installs like an update, under its lock: in the cheapest way, and without fetching what is here.
    private func install(_ package: PackageID, _ arrival: PackageArrival) async throws {
        let installer = try arrivalInstaller()
        let run = UpdateRun(
            installer: installer, appVersion: configuration.appVersion,
            parallelism: configuration.limits.parallelism)
        for result in await run.install([arrival.job]) { _ = try result.outcome.get() }
        try takeIn(package, arrival)
        _ = try? ObjectCheck(store.layout).faults(
            in: arrival.verified.manifest, arrival.job.id, verified: installer.verified)
    }

    /// Makes a version active whose objects are all in the store. From here on it is like any other version, and the
    /// open pages are its first start.
    private func takeIn(_ package: PackageID, _ arrival: PackageArrival) throws {
        let job = arrival.job
        let known = arrivals[package].flatMap { $0.arrival === arrival ? $0 : nil }
        let installed = PackageState.Installed(
            id: job.id, release: job.release, hasPages: arrival.verified.manifest.entry != nil)
        let milliseconds = milliseconds
        let (isActive, refusal) = try store.change { state -> (Bool, String?) in
            // One that is active by now came with all of its set.
            let refusal =
                state[package].active == nil
                ? state.reasonNotToArrive(installed, as: package, with: arrival.companions) : nil
            guard refusal == nil else { return (false, refusal) }
            let isActive = state[package].arrive(
                installed, loads: known?.tokens ?? [], isConfirmed: known?.isConfirmed ?? false, now: milliseconds)
            return (isActive, nil)
        }
        arrival.end()
        try? Durable.remove(store.layout.arriving(package, job.id.version))
        if known != nil { arrivals[package] = nil }
        guard isActive else {
            if let refusal {
                journal.note(.refused, package, job.id.version, "it is whole and not active: \(refusal)")
            } else {
                journal.note(.staged, package, job.id.version, "it is whole, and another version is active by now")
            }
            return
        }
        journal.note(.activated, package, job.id.version, "all of it is here")
        report(.installed, package, job.id.version, job.release)
        report(.activated, package, job.id.version, job.release)
        if known?.isConfirmed == true {
            journal.note(.confirmed, package, job.id.version, "a page of it said so while it came")
            report(.confirmed, package, job.id.version, job.release)
        } else if known?.tokens.isEmpty == false {
            currentLoads[package] = WeakSession(session: known?.session)
            readyDeadlines.begin(package, job.id, at: configuration.uptime())
        }
    }

    // MARK: Beside updates

    /// An update lets what arrives be whole first: it is part of what it would fetch.
    /// - Returns: how long the update waits for the lock; what pages ask for holds it for moments.
    func settleArrivals() async -> Duration {
        let known = arrivals
        for (package, arriving) in known where !arriving.hasFailed { _ = await complete(package, arriving.arrival) }
        return arrivals.isEmpty && openings.isEmpty ? configuration.patience : max(configuration.patience, .seconds(60))
    }

    /// After an update that has installed what was arriving: pages that are open are pages of it. A version that another
    /// took the place of arrives no more; its pages keep what they have.
    func takeInArrivals() {
        for (package, arriving) in arrivals {
            guard let active = try? store.state()[package].active else { continue }
            if active.id == arriving.arrival.job.id {
                try? takeIn(package, arriving.arrival)
            } else {
                arrivals[package] = nil
            }
        }
    }

    /// Keeps the confirmation of a page whose version is not complete yet.
    func keepsConfirmation(_ package: PackageID, _ version: SemanticVersion, _ token: String) -> Bool {
        guard let arriving = arrivals[package], arriving.arrival.job.id.version == version,
            arriving.tokens.contains(token)
        else { return false }
        arrivals[package]?.isConfirmed = true
        return true
    }
}
