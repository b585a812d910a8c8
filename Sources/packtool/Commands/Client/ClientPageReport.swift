import Dispatch
import Foundation
import PackWeb
import Synchronization

/// Writes the last page's report to the store, for `packtool client explain --last-page`. It writes a little after
/// the last change, so that a page of a thousand files does not cause a thousand writes.
final class ClientPageReport: Sendable {
    private struct State {
        var pages: PageDirectory?
        var isScheduled = false
    }

    private let file: LastPage
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "packtool.last-page")

    init(store: URL) {
        file = LastPage(folder: store)
    }

    /// The pages that the browser is at.
    var pages: PageDirectory? { state.withLock { $0.pages } }

    func show(_ pages: PageDirectory) { state.withLock { $0.pages = pages } }

    func changed() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(200)) { self.write() }
    }

    /// A report that cannot be written is no reason to stop serving; the next one may.
    func write() {
        let pages = state.withLock { state in
            state.isScheduled = false
            return state.pages
        }
        if let report = pages?.lastReport { try? file.write(report, at: Date()) }
    }
}
