import PackFormat

extension Updater {
    /// What needs no download.
    func settle(_ offer: Offer) throws -> UpdateReport.Entry {
        let outcome = try store.change { state in Self.settle(offer, &state) }
        return UpdateReport.Entry(
            package: offer.package, outcome: outcome, why: offer.decision.summary, isInChannel: offer.isInChannel)
    }

    /// - Parameter set: of the group that the offer belongs to.
    private static func settle(
        _ offer: Offer, _ state: inout StoreState, set: String? = nil
    ) -> UpdateReport.Outcome {
        switch offer.decision.choice {
        case .embedded(let mark, let isWithdrawn):
            let mark = PackageState.ReleaseMark(id: mark.id, retry: mark.retry, set: set ?? mark.set)
            guard state[offer.package].stageEmbedded(release: mark, isWithdrawn: isWithdrawn) else {
                return .upToDate(state[offer.package].active?.id.version)
            }
            guard case .version(let installed) = state[offer.package].staged else { return .activated(nil) }
            return .staged(installed.id.version)
        case .upToDate:
            state.unstage(offer.package)
            return .upToDate(state[offer.package].active?.id.version)
        case .nothing, .disabled, .install, .undecided:
            if case .version(let installed) = state[offer.package].staged, installed.release != nil {
                state.unstage(offer.package)
            }
            return .nothing
        }
    }

    /// Stages what was installed: all of a set in one write, or nothing of it.
    /// - Parameter outcomes: of the group's jobs.
    func record(
        _ group: OfferGroup, _ outcomes: [PackageID: Result<Bool, any Error>], _ transfers: TransferCounter
    ) throws -> [UpdateReport.Entry] {
        var entries: [UpdateReport.Entry] = []
        var fault: (package: PackageID, reason: String)?
        var whole: [(job: InstallJob, hasPages: Bool)] = []
        for offer in group.offers {
            guard case .undecided(let reason) = offer.decision.choice else { continue }
            fault = fault ?? (offer.package, reason)
            entries.append(
                UpdateReport.Entry(package: offer.package, outcome: .failed(reason), why: offer.decision.summary))
        }
        for job in group.jobs {
            switch outcomes[job.package] {
            case .success(let hasPages)?: whole.append((job, hasPages))
            case .failure(let error)?:
                journal.note(.refused, job.package, job.id.version, "\(error)")
                report(error, of: job)
                fault = fault ?? (job.package, "\(error)")
                entries.append(
                    UpdateReport.Entry(package: job.package, outcome: .failed("\(error)"), why: job.why))
            case nil: continue
            }
        }
        if let fault, group.set != nil {
            let reason = "its set is not installed, because \(fault.package) failed: \(fault.reason)"
            for job in whole.map(\.job) {
                journal.note(.refused, job.package, job.id.version, reason)
                entries.append(UpdateReport.Entry(package: job.package, outcome: .failed(reason), why: job.why))
            }
            for offer in group.waiting {
                journal.note(.refused, offer.package, nil, reason)
                entries.append(
                    UpdateReport.Entry(package: offer.package, outcome: .failed(reason), why: offer.decision.summary))
            }
            return entries
        }
        return try entries + stage(whole, group, transfers)
    }

    private func stage(
        _ whole: [(job: InstallJob, hasPages: Bool)], _ group: OfferGroup, _ transfers: TransferCounter
    ) throws -> [UpdateReport.Entry] {
        guard !whole.isEmpty || !group.waiting.isEmpty else { return [] }
        let (found, settled) = try store.change { state in
            // What was staged of another set goes with all of that set. A package of which no other is here has its
            // release's set.
            for offer in group.offers {
                guard let staged = state[offer.package].staged?.release?.set,
                    staged != group.set ?? offer.decision.set
                else { continue }
                state.unstage(offer.package)
            }
            let found = whole.map { job, hasPages -> (isNew: Bool, isActive: Bool) in
                let installed = PackageState.Installed(id: job.id, release: job.release, hasPages: hasPages)
                if case .version(let staged) = state[job.package].staged, staged == installed { return (false, false) }
                let isNew = state[job.package].stage(installed)
                return (isNew, !isNew)
            }
            return (found, group.waiting.map { ($0, Self.settle($0, &state, set: group.set)) })
        }
        let staged = zip(whole, found).map { element, found -> UpdateReport.Entry in
            let job = element.job
            if found.isActive {
                // It ran already, and only its files were gone.
                journal.note(.repaired, job.package, job.id.version, "its files are back")
                report(.repaired, job.package, job.id.version, job.release)
                return UpdateReport.Entry(package: job.package, outcome: .activated(job.id.version), why: job.why)
            }
            if found.isNew {
                let set = group.set.map { ", and so are all of its set (\($0))" } ?? ""
                journal.note(
                    .staged, job.package, job.id.version, "its files are verified and in the store\(set)")
                reportInstallation(of: job, transferred: transfers.byteCount(of: job.package))
            }
            return UpdateReport.Entry(package: job.package, outcome: .staged(job.id.version), why: job.why)
        }
        return staged
            + settled.map { offer, outcome in
                UpdateReport.Entry(package: offer.package, outcome: outcome, why: offer.decision.summary)
            }
    }
}
