import Foundation
import PackFormat
import PackJSON
import PackUpdater
import PackWeb
import PackWebKitGTK

/// Pages that do not work, and the way back to a version that does.
extension Kiosk {
    /// How long a page that hangs is waited for, at most; and how long a version is watched once it was confirmed.
    private static let longestHang = Duration.seconds(15)
    private static let probationTime = Duration.seconds(60)

    /// A page that hangs says nothing: time speaks for it.
    func watch(_ number: Int) {
        Task {
            try? await Task.sleep(for: settings.readyTimeout)
            // Another page has no version to confirm: it is there, and that is enough.
            if attempt.number == number, !attempt.isReady, !attempt.isOver, isOwn || !attempt.hasCommitted {
                fail(notReady, endsPage: true)
            }
        }
    }

    private var notReady: String {
        let missing = attempt.page?.report.missingParts ?? []
        let why = missing.isEmpty ? "" : ": \(missing.joined(separator: ", ")) is not in its version"
        return "the page was not ready in \(settings.readyTimeout.components.seconds) s\(why)"
    }

    private var isOwn: Bool { attempt.session?.package == settings.package }

    /// The time to become ready is the version's, from its first start on: not the attempt's, which a page that loads itself
    /// anew would begin again and again.
    func beginTrial(of session: PackUpdater.PackageSession) async {
        let digest = session.manifest.digest
        let status = try? await updater.status().first { $0.package == session.package }
        guard let status, status.manifest == digest, !status.isConfirmed else { return }
        guard trial?.digest != digest else { return }
        trial = Trial(digest: digest, version: session.version)
        Task { await judge(digest) }
    }

    private func judge(_ digest: Digest) async {
        while trial?.digest == digest {
            let left = (try? await updater.timeToConfirm(settings.package)) ?? settings.readyTimeout
            // Somebody else's page, such as one to log in, is not taken away; the version's next page is left at once.
            let isElsewhere = attempt.hasCommitted && !isOwn && !isOwnAddress(attempt.url)
            if left <= .zero, !isElsewhere { break }
            try? await Task.sleep(for: max(left, .seconds(1)))
        }
        guard trial?.digest == digest else { return }
        attempt.hasFailed = false
        fail(notReady, of: digest, endsPage: true)
    }

    private func isOwnAddress(_ url: String) -> Bool { url.hasPrefix(origin(of: settings.package) + "/") }

    /// The version was confirmed. For a while a page of it that hangs is still a reason to go back.
    func endTrial(of session: PackUpdater.PackageSession) {
        guard let trial, trial.digest == session.manifest.digest else { return }
        self.trial = nil
        probation = trial
        Task { await watchPulse(trial.digest) }
    }

    private func watchPulse(_ digest: Digest) async {
        let patience = min(settings.readyTimeout, Self.longestHang)
        let end = ContinuousClock.now + Self.probationTime
        while ContinuousClock.now < end, probation?.digest == digest {
            try? await Task.sleep(for: .seconds(1))
            guard attempt.hasCommitted, attempt.digest == digest else { continue }
            let number = attempt.number
            if await !view.isAnswering(within: patience), attempt.number == number, probation?.digest == digest {
                fail("the page hangs: it has not answered for \(patience.components.seconds) s", endsPage: true)
                return
            }
        }
        if probation?.digest == digest { probation = nil }
    }

    /// The version has nothing at this address. The way in is tried at `/`; the version is left for it only where nothing is at
    /// `/` either and another one is there.
    func miss(_ url: String) {
        let root = origin(of: settings.package) + "/"
        if isOwn, url == address, url != root {
            say("\(url) is not in version \(attempt.version ?? ""); \(root) is opened in its place")
            lacksPath = attempt.digest
            view.load(root)
        } else {
            fail("\(url) was answered 404", isMiss: url != root)
        }
    }

    /// Goes back where the version was never confirmed; else the start is shown again after a while. No user can leave an
    /// error by himself, whichever page it is.
    /// - Parameters:
    ///   - suspect: the version that it speaks against; nil: that of the page on view.
    ///   - isMiss: whether only a page of the version is missing, which is no reason to leave it.
    ///   - endsPage: whether the page's process may hang.
    func fail(_ reason: String, of suspect: Digest? = nil, isMiss: Bool = false, endsPage: Bool = false) {
        guard !attempt.hasFailed else { return }
        attempt.hasFailed = true
        say(reason)
        let failed = attempt
        let suspect = suspect ?? (isOwn && !attempt.isOver ? attempt.digest : nil)
        Task {
            if !isMiss, let suspect, await goBack(from: suspect, reason: reason) { return }
            try? await Task.sleep(for: .seconds(5))
            guard attempt.number == failed.number else { return }
            if endsPage, await !view.isAnswering(within: .seconds(2)) { view.endPage() }
            view.load(address)
        }
    }

    /// - Returns: whether another version is shown now.
    private func goBack(from suspect: Digest, reason: String) async -> Bool {
        let package = settings.package
        guard let status = try? await updater.status().first(where: { $0.package == package }),
            status.manifest == suspect, let version = status.active,
            !status.isConfirmed || probation?.digest == suspect
        else { return false }
        let other: SemanticVersion?
        // Without another version there would be nothing to show at all: a page that does not work may work the next time.
        do { other = try await updater.rollBack(package, from: suspect, reason: reason) } catch {
            say("\(error)")
            return false
        }
        (trial, probation) = (nil, nil)
        say("\(package) \(version) does not work; back to \(other?.description ?? "none")")
        // Whatever its code does now, it does no longer.
        view.endPage()
        loads[package] = nil
        try? await packages.refresh()
        control?.say(
            "rolledBack", ["from": .string(version.description), "to": .string(other?.description ?? "")])
        view.load(address)
        return true
    }
}
