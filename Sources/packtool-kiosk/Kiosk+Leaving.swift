import Foundation
import PackFormat
import PackHost
import PackJSON
import PackWebOnline
import PackWebKitGTK

/// Handles pages that do not work, and goes back to a version that does.
extension Kiosk: TrialView {
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
        let missing = attempt.page?.missingParts ?? []
        let why = missing.isEmpty ? "" : ": \(missing.joined(separator: ", ")) is not in its version"
        return "the page was not ready in \(settings.readyTimeout.components.seconds) s\(why)"
    }

    private var isOwn: Bool { attempt.page?.package == settings.package }

    // MARK: What the trial of a version asks

    var isElsewhere: Bool {
        attempt.hasCommitted && !isOwn && !attempt.url.hasPrefix(services.origin(of: settings.package) + "/")
    }

    func load(of version: Digest) -> Int? {
        attempt.hasCommitted && attempt.page?.digest == version ? attempt.number : nil
    }

    func isAnswering(within time: Duration) async -> Bool { await view.isAnswering(within: time) }

    func versionFailed(_ fault: TrialFault) {
        switch fault {
        case .late(let version):
            attempt.hasFailed = false
            fail(notReady, of: version, endsPage: true)
        case .hangs(let time):
            fail("the page hangs: it has not answered for \(time.components.seconds) s", endsPage: true)
        }
    }

    /// The version has nothing at this address. The way in is tried at `/`; the version is left for it only where nothing is at
    /// `/` either and another one is there.
    func miss(_ url: String) {
        let root = services.origin(of: settings.package) + "/"
        if isOwn, url == address, url != root {
            say("\(url) is not in version \(attempt.version ?? ""); \(root) is opened in its place")
            lacksPath = attempt.page?.digest
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
        let suspect = suspect ?? (isOwn && !attempt.isOver ? attempt.page?.digest : nil)
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
        let left: WentBack
        do {
            guard let found = try await trial.goBack(from: suspect, reason: reason) else { return false }
            left = found
        } catch {
            say("\(error)")
            return false
        }
        say("\(package) \(left.from) does not work; back to \(left.to?.description ?? "none")")
        // Whatever its code does now, it does no longer.
        view.endPage()
        loads[package] = nil
        try? await host.refresh()
        sayRolledBack(from: left.from, to: left.to)
        view.load(address)
        return true
    }

    func sayRolledBack(from version: SemanticVersion, to other: SemanticVersion?) {
        control?.say(
            "rolledBack", ["from": .string(version.description), "to": .string(other?.description ?? "")])
    }
}
