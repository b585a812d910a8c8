public import PackFormat
import PackJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an app may do about reports. Without ``UpdaterConfiguration/reports`` nothing is written and nothing is sent.
extension Updater {
    /// What the next request would send, byte for byte, for a page of the app's settings; nil if nothing waits.
    public func pendingReport() throws -> String? {
        guard let outbox = reports else { return nil }
        tellPresence(outbox)
        guard let pending = try outbox.pending() else { return nil }
        return ReportSender.batch(pending, channel).map { JSONValue.object($0.json).compactText }
    }

    /// The id under which the device reports now; nil if it has not reported anything yet.
    public func reportID() throws -> ReportID? { try reports?.pending()?.identity.id }

    /// Makes a new report id and drops what waits under the old one. Nothing links the two.
    /// - Returns: the new id; nil if reports are off.
    @discardableResult
    public func resetReportID() throws -> ReportID? { try reports?.reset() }

    /// Reports how the pages of one run of the app were served. Call it once, when the run ends; the next run sends it.
    public func reportSession(_ counters: WebCounters, of package: PackageID, version: SemanticVersion) {
        guard !counters.isEmpty else { return }
        let active = (try? store.state())?[package].active
        let release = active?.id.version == version ? active?.installed.release : nil
        report(.session, package, version, release) { $0.web = counters }
    }

    /// Sends what waits, if it is time. Updates and checks do so by themselves when they are over; a program that ends
    /// after an update calls it to wait for that.
    /// - Returns: how many events the registry took. What it did not take is sent later.
    @discardableResult
    public func sendReports() async -> Int {
        if let sending = reportSending { return await sending.value }
        guard let outbox = reports, let address = reportAddress else { return 0 }
        tellPresence(outbox)
        let isSettled = (try? store.state().packages.values.allSatisfy { $0.active?.isConfirmed ?? true }) ?? false
        let sender = ReportSender(
            outbox: outbox, address: address, channel: channel, transport: reportTransport)
        let now = Int(configuration.now().timeIntervalSince1970)
        let sending = Task {
            let sent = (try? await sender.send(at: now)) ?? 0
            try? outbox.renewIdentity(isSettled: isSettled)
            return sent
        }
        reportSending = sending
        defer { reportSending = nil }
        return await sending.value
    }

    /// Says what the device has and is, if the app lets it.
    private func tellPresence(_ outbox: ReportOutbox) {
        guard configuration.reports?.includesFacts == true else { return outbox.dropFacts() }
        guard let state = try? store.state() else { return }
        let facts = ReportFacts(deviceFacts(state, groups: GroupMembership()))
        let presences = state.packages.compactMap { package, state in
            state.active.map { active in
                ReportOutbox.Presence(
                    package: package, version: active.id.version, release: Self.reportable(active.installed.release))
            }
        }
        outbox.tell(presences.sorted { $0.package < $1.package }, facts, channel: channel)
    }

    /// Nil where there is no server that could take them.
    private var reportAddress: URL? {
        if let address = configuration.reports?.address { return address }
        return configuration.base.isFileURL ? nil : configuration.base.appending(path: "v1/reports")
    }

    /// Begins to send; nobody waits for it.
    func sendReportsInBackground() {
        guard reports != nil else { return }
        Task { await sendReports() }
    }

    // MARK: What is reported

    func report(
        _ code: ReportEvent.Code, _ package: PackageID, _ version: SemanticVersion?,
        _ release: PackageState.ReleaseMark?, _ details: (inout ReportEvent) -> Void = { _ in }
    ) {
        reports?.add(code, package, version, release: Self.reportable(release), channel: channel, details)
    }

    /// Presets have no release of a channel.
    private static func reportable(_ release: PackageState.ReleaseMark?) -> String? {
        release.flatMap { $0.id == PackageState.ReleaseMark.presetID ? nil : $0.id }
    }

    func report(_ wentBack: PackageState.WentBack, of package: PackageID) {
        let left = wentBack.from
        report(.failed, package, left.id.version, left.release) { event in
            event.phase = .start
            event.fault = wentBack.cause
        }
        report(.rolledBack, package, left.id.version, left.release)
    }

    func report(_ offer: Offer, since old: PackageState) {
        switch offer.decision.choice {
        case .install(let id, let mark) where old.offered != id:
            report(.offered, offer.package, id.version, mark)
        case .disabled where old.isEnabled: report(.gateOff, offer.package, nil, nil)
        default: break
        }
    }

    func report(_ error: any Error, of job: InstallJob) {
        report(.failed, job.package, job.id.version, job.release) { event in
            event.fault = ReportEvent.Fault(error)
            event.phase = event.fault == .fileFailed || event.fault == .diskFull ? .install : .download
        }
    }

    /// A version of which all bytes are here.
    func reportInstallation(of job: InstallJob, transferred byteCount: Int) {
        report(.downloaded, job.package, job.id.version, job.release) { $0.wireByteCount = byteCount }
        report(.installed, job.package, job.id.version, job.release)
    }
}
