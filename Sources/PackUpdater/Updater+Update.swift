import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Updater {
    /// What a check found for one package.
    struct Offer {
        let package: PackageID
        var decision: PackageDecision
        /// False for a name that the channel does not have.
        var isInChannel = true
        /// The other packages of the chosen release's set: what is installed of them is installed together.
        var companions: Set<PackageID> = []
        /// The versions of the chosen release's set.
        var companionVersions: [PackageID: VersionID] = [:]
    }

    /// Checks many packages at once and says which would change, and why. Nothing is downloaded.
    public func check(_ selection: PackageSelection = .all) async throws -> UpdateReport {
        let lock = try await store.lockForUpdate(patience: configuration.patience)
        defer { withExtendedLifetime(lock) {} }
        let offers = try await firstDecision(selection)
        sendReportsInBackground()
        return UpdateReport(
            entries: offers.map { offer in
                let outcome: UpdateReport.Outcome
                switch offer.decision.choice {
                case .upToDate: outcome = .upToDate(offer.decision.offered?.version)
                case .nothing, .disabled: outcome = .nothing
                case .install(let id, _):
                    outcome =
                        offer.decision.delay.map { .waiting(id.version, for: $0) } ?? .wouldInstall(id.version)
                case .embedded: outcome = .wouldGoBack(offer.decision.offered?.version)
                case .undecided(let reason): outcome = .failed(reason)
                }
                return UpdateReport.Entry(
                    package: offer.package, outcome: outcome, why: offer.decision.summary,
                    isInChannel: offer.isInChannel, isMandatory: offer.decision.isMandatory)
            })
    }

    /// Brings packages to the versions that the channel offers this device: one check for all of them, then parallel
    /// downloads.
    ///
    /// A package that fails leaves the others alone; its entry says why. What could not even be decided (no network,
    /// metadata that is not trusted, a full disk) is thrown.
    ///
    /// Pages that are opened meanwhile do not wait for it, and begin to install what is not here. A second update of the same
    /// updater waits for the first.
    @discardableResult
    public func update(_ selection: PackageSelection = .all) async throws -> UpdateReport {
        let patience = await settleArrivals()
        await waitForUpdate()
        broadcast.send(.checking)
        let updating = Task { try await arrivalTurn.hold(patience: patience) { try await self.install(selection) } }
        self.updating = updating
        defer { sendReportsInBackground() }
        defer { if self.updating == updating { self.updating = nil } }
        do {
            let report = try await withTaskCancellationHandler {
                try await updating.value
            } onCancel: {
                updating.cancel()
            }
            broadcast.send(.finished(report))
            return report
        } catch {
            broadcast.send(.failed("\(error)"))
            throw error
        }
    }

    /// Everything that the updater does from now on, for an app that shows it: what it checks, how far each download is, and
    /// what became of it. A listener that is slow loses the oldest events; the stream ends with the updater.
    public nonisolated func updateEvents() -> AsyncStream<UpdateEvent> { broadcast.stream() }

    /// Returns when no update is under way.
    func waitForUpdate() async {
        while let running = updating {
            _ = await running.result
            // Its own caller may come later.
            if updating == running { updating = nil }
        }
    }

    /// Under the update lock, beside what arrives for pages.
    private func install(_ selection: PackageSelection) async throws -> UpdateReport {
        try await install(firstDecision(selection))
    }

    /// Under the update lock. The versions of a set are staged in one step once all of them are in the store.
    /// - Parameter isAwaited: a page that somebody has opened waits for them, so they wait for no policy.
    func install(_ offers: [Offer], isAwaited: Bool = false) async throws -> UpdateReport {
        try Durable.makeFolder(store.layout.downloads)
        var entries: [UpdateReport.Entry] = []
        var jobs: [InstallJob] = []
        // What one package of a set waits for, all of it waits for.
        let all = OfferGroup.groups(of: offers)
        let groups = all.filter { isAwaited || !$0.isWaiting }
        for group in all {
            for offer in group.settled { entries.append(try settle(offer)) }
            if isAwaited || !group.isWaiting { jobs += group.jobs } else { entries += group.waitingEntries }
        }
        let installer = Installer(
            store: store, transport: transport, targets: try targets(), journal: journal, turns: arrivalDownloads,
            broadcast: broadcast)
        let results = await UpdateRun(
            installer: installer, appVersion: configuration.appVersion,
            parallelism: configuration.limits.parallelism
        ).install(jobs)
        let outcomes = Dictionary(results.map { ($0.job.package, $0.outcome) }, uniquingKeysWith: { $1 })
        for group in groups { entries += try record(group, outcomes, installer.transfers) }
        entries = try activate(offers, entries)
        takeInArrivals()
        let report = UpdateReport(
            entries: entries, transfers: installer.transfers.transfers,
            overload: results.lazy.compactMap(\.overload).first)
        let hasLeftovers = try !Durable.names(in: store.layout.downloads).isEmpty
        if report.isChanged || !report.failures.isEmpty || hasLeftovers {
            let keepsParts = !report.failures.isEmpty
            // Where a page is fetching something, it goes when the page has it.
            _ = try await arrivalTurn.alone {
                _ = try? await self.collect(keepsPartialDownloads: keepsParts, verified: nil)
            } _: {
                _ = try await self.collect(keepsPartialDownloads: keepsParts, verified: installer.verified)
            }
        }
        return report
    }

    /// Switches to what may be active at once, by the releases' policies and the configuration.
    private func activate(_ offers: [Offer], _ entries: [UpdateReport.Entry]) throws -> [UpdateReport.Entry] {
        var installs: [PackageID: ClientPolicy.Install] = [:]
        let configured: ClientPolicy.Install = configuration.activation == .atOnce ? .nextPage : .nextStart
        for offer in offers { installs[offer.package] = offer.decision.install(else: configured) }
        let switched = try activate(installs.filter { $0.value != .nextStart }.map(\.key))
        let mandatory = Set(offers.filter(\.decision.isMandatory).map(\.package))
        return entries.map { entry in
            let version = switched[entry.package]
            return UpdateReport.Entry(
                package: entry.package, outcome: version.map { .activated($0) } ?? entry.outcome, why: entry.why,
                isInChannel: entry.isInChannel, isMandatory: mandatory.contains(entry.package),
                isShownAtOnce: version != nil && installs[entry.package] == .now)
        }
    }

    /// Removes what nothing needs any more.
    /// - Returns: what was removed, as `PACKAGE@VERSION`.
    @discardableResult
    public func collectGarbage() async throws -> [String] {
        let lock = try await store.lockForUpdate(patience: configuration.patience)
        defer { withExtendedLifetime(lock) {} }
        return try collect(keepsPartialDownloads: false)
    }

    @discardableResult
    func collect(keepsPartialDownloads: Bool, verified: VerifiedObjects? = nil) throws -> [String] {
        let outcome = try GarbageCollector(store: store).run(keepsPartialDownloads: keepsPartialDownloads)
        try ObjectCheck(store.layout).refresh(store, verified: verified)
        if !outcome.versions.isEmpty || outcome.objectCount > 0 {
            journal.note(
                .collected, nil, nil,
                "removed \(outcome.versions.isEmpty ? "no version" : outcome.versions.joined(separator: ", ")), "
                    + "\(outcome.objectCount) objects, \(outcome.size) bytes: nothing needs them")
        }
        return outcome.versions
    }

    /// As ``decide(_:)``; a store that would be new, and for which nothing could be decided, is not made.
    func firstDecision(_ selection: PackageSelection) async throws -> [Offer] {
        let isMade = try store.isMade
        do {
            return try await decide(selection)
        } catch {
            if !isMade {
                try? store.removeUnused()
                forgetTargets()
            }
            throw error
        }
    }

    /// Refreshes the metadata, reads the channel and decides for each package.
    private func decide(_ selection: PackageSelection) async throws -> [Offer] {
        let targets = try targets()
        let name = channel
        let found: ChannelReader.Found
        do {
            try await targets.refresh()
            let state = try store.state()
            found = try await ChannelReader(layout: store.layout, targets: targets).channel(
                name, of: configuration.app ?? state.app, for: Self.concerned(selection, state))
        } catch {
            journal.note(.checkFailed, nil, nil, "nothing is installed and nothing changes: \(error)")
            throw error
        }
        let channel = found.channel
        let (state, changes, awaiting) = try store.change { state in
            state.app = channel.app
            state.dropWishes(outside: channel.packages.keys)
            let old = state
            let changes = state.obey(channel)
            return (old, changes, Set(state.packages.filter { $0.value.awaitedSet != nil }.keys))
        }
        for (package, why) in changes { journal.note(.decided, package, nil, why) }
        let deviceID = configuration.deviceID ?? state.deviceID
        let groups: GroupMembership
        do {
            groups = try await GroupReader(layout: store.layout, targets: targets).groups(of: deviceID, in: channel)
        } catch {
            // A device that does not know its groups must not leave what it has by one.
            journal.note(.checkFailed, nil, nil, "nothing is installed and nothing changes: \(error)")
            throw error
        }
        let facts = deviceFacts(state, groups: groups)
        let time = LocalTime(configuration.now(), in: configuration.timeZone())
        let sets = ReleaseSets(of: channel)
        var selected = packages(selection, channel: channel, state: state)
        // Their pages wait for their version of a set, whatever the check is about.
        selected += awaiting.subtracting(selected).sorted()
        let isSelected = Set(selected)
        let check = try await SetCheck.make(sets, of: channel, state: state, facts: facts) { package in
            isSelected.contains(package) || state[package].isHere ? targets : nil
        }
        var offers: [Offer] = []
        while offers.count < selected.count {
            let package = selected[offers.count]
            do {
                guard let offered = channel.packages[package] else {
                    offers.append(absent(package, from: found))
                    continue
                }
                let decision = try await PackageDecision.make(
                    package, app: channel.app, channel: offered, state: state[package],
                    facts: facts, sets: check, time: time, targets: targets,
                    isThere: { [store] id in
                        try store.hasTree(of: package, id)
                            && !ObjectCheck(store.layout).isMarkedDamaged(package, id.version)
                    })
                var offer = Offer(package: package, decision: decision)
                if let set = decision.set {
                    offer.companions = Set(sets.members(of: set).keys).subtracting([package])
                    // What is here of the set comes along, whoever asked for what.
                    selected += offer.companions.filter { state[$0].isHere && !selected.contains($0) }.sorted()
                    offer.companionVersions = sets.members(of: set).compactMapValues(\.versionID)
                }
                offers.append(offer)
            } catch let error as UpdateError {
                // One publisher's bad role is no reason to hold up the others' packages.
                if error.isUnreachable { throw error }
                journal.note(.checkFailed, package, nil, "nothing of it is installed: \(error)")
                let decision = PackageDecision(choice: .undecided("\(error)"), steps: ["\(error)"], offered: nil)
                offers.append(Offer(package: package, decision: decision))
            }
        }
        offers = OfferGroup.waitingTogether(offers)
        let others = try await others(
            than: selected, selection, channel, state: state, facts: facts, sets: check, time)
        // Of a name that the channel does not have, and the store neither, nothing is kept.
        try note(
            (offers + others).filter { channel.packages[$0.package] != nil || state.packages[$0.package] != nil },
            since: state, awaiting)
        return offers
    }

    /// The packages of which a check has to find out something; nil: all of the channel.
    private static func concerned(_ selection: PackageSelection, _ state: StoreState) -> Set<PackageID>? {
        switch selection {
        case .all: nil
        case .list(let packages): Set(state.packages.keys).union(packages)
        case .onDemand: Set(state.packages.keys)
        }
    }

    /// An offer for a name that the channel does not have: it is misspelt, or not released there yet.
    private func absent(_ package: PackageID, from found: ChannelReader.Found) -> Offer {
        let names = UpdateError.list(found.channel.packages.keys.map(\.text))
        let step =
            "the channel \"\(found.channel.channel)\" does not have the package"
            + (found.isWhole ? " (it has: \(names))" : "")
        return Offer(
            package: package, decision: PackageDecision(choice: .nothing, steps: [step], offered: nil),
            isInChannel: false)
    }

    /// On demand, the packages that nobody opened yet: nothing of them is fetched, but their first open has to know
    /// whether the gate is open.
    private func others(
        than selected: [PackageID], _ selection: PackageSelection, _ channel: ChannelFile, state: StoreState,
        facts: DeviceFacts, sets: SetCheck, _ time: LocalTime
    ) async throws -> [Offer] {
        guard selection == .onDemand else { return [] }
        let selected = Set(selected)
        var offers: [Offer] = []
        for package in packages(.all, channel: channel, state: state) where !selected.contains(package) {
            guard let offered = channel.packages[package] else { continue }
            let decision = try await PackageDecision.make(
                package, app: channel.app, channel: offered, state: state[package], facts: facts,
                sets: sets, time: time, targets: nil, isThere: { _ in true })
            offers.append(Offer(package: package, decision: decision))
        }
        return offers
    }

    private func packages(_ selection: PackageSelection, channel: ChannelFile, state: StoreState) -> [PackageID] {
        switch selection {
        case .list(let packages): return Array(Set(packages)).sorted()
        case .onDemand:
            return state.packages.filter { package in
                package.value.active != nil || package.value.isWanted && channel.packages[package.key] != nil
            }.keys.sorted()
        case .all:
            // A bundle comes with the packages that pin it.
            return channel.packages.filter { package in
                !package.value.releases.contains { $0.version?.isDerivedFromContent ?? false }
            }.keys.sorted()
        }
    }

    /// Writes down decisions that differ from the last ones.
    /// - Parameter awaiting: packages that are shown when their set is whole.
    private func note(_ offers: [Offer], since state: StoreState, _ awaiting: Set<PackageID>) throws {
        let changed = offers.filter {
            if case .undecided = $0.decision.choice { return false }
            let old = state[$0.package]
            let isEnabled = $0.decision.choice != .disabled
            return old.decision != $0.decision.summary || (old.isEnabled || old.awaitedSet != nil) != isEnabled
                || old.offered != $0.decision.offered || old.delay != $0.decision.delay
        }
        // The channel has nothing for them to wait for any more.
        let shown = offers.filter { offer in
            switch offer.decision.choice {
            case .upToDate, .nothing: awaiting.contains(offer.package)
            default: false
            }
        }
        guard !changed.isEmpty || !shown.isEmpty else { return }
        try store.change { state in
            for offer in changed {
                state[offer.package].decision = offer.decision.summary
                state[offer.package].offered = offer.decision.offered
                state[offer.package].delay = offer.decision.delay
                let isEnabled = offer.decision.choice != .disabled
                if state[offer.package].awaitedSet == nil { state[offer.package].isEnabled = isEnabled }
            }
            for offer in shown { state.show(offer.package) }
        }
        for offer in changed {
            journal.note(.decided, offer.package, offer.decision.offered?.version, offer.decision.summary)
            report(offer, since: state[offer.package])
        }
    }
}
