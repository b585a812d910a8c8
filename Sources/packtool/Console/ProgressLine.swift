import Foundation
import Synchronization

/// One line on stderr that is written over, ten times a second at most; nothing where it is not shown.
final class ProgressLine: Sendable {
    private let isShown: Bool
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(isShown: Bool) {
        self.isShown = isShown
    }

    func show(_ text: String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let last, last + .milliseconds(100) > now { return false }
            last = now
            return true
        }
        if isDue { write("\r\u{1B}[K\(text)") }
    }

    func clear() {
        let wasShown = last.withLock { last in
            defer { last = nil }
            return last != nil
        }
        if wasShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
