import Foundation
import Synchronization

/// Shows a command's progress on stderr. On a terminal it is one line that is overwritten, at most ten times a
/// second. Elsewhere, as in the log of a CI job, it is a new line every ten seconds, from the tenth second on. With
/// `--quiet` there is none.
final class ProgressLine: Sendable {
    private let console: Console
    private let last: Mutex<ContinuousClock.Instant?>

    init(_ console: Console) {
        self.console = console
        last = Mutex(console.showsProgress ? nil : .now)
    }

    func show(_ text: String) {
        guard !console.isQuiet else { return }
        let now = ContinuousClock.now
        let pause: Duration = console.showsProgress ? .milliseconds(100) : .seconds(10)
        let isDue = last.withLock { last in
            if let last, last + pause > now { return false }
            last = now
            return true
        }
        guard isDue else { return }
        write(console.showsProgress ? "\r\u{1B}[K\(text)" : "\(text)\n")
    }

    func clear() {
        guard console.showsProgress else { return }
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
