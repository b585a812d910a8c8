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
            fail(state.timeIsOver(of: number))
        }
    }

    // MARK: What the trial of a version asks

    var isElsewhere: Bool { state.isElsewhere }

    func load(of version: Digest) -> Int? { state.load(of: version) }

    func isAnswering(within time: Duration) async -> Bool { await view.isAnswering(within: time) }

    func versionFailed(_ fault: TrialFault) { fail(state.failed(fault)) }

    /// Goes back where the version was never confirmed; else the start is shown again after a while. No user can leave an
    /// error by himself, whichever page it is.
    func fail(_ failure: PageFailure?) {
        guard let failure else { return }
        say(failure.reason)
        Task {
            if let suspect = failure.suspect, await goBack(from: suspect, reason: failure.reason) { return }
            try? await Task.sleep(for: .seconds(5))
            guard state.attempt.number == failure.attempt else { return }
            if failure.mayHang, await !view.isAnswering(within: .seconds(2)) { view.endPage() }
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
        state.forgetLoad(of: package)
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
