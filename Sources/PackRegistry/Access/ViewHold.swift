import Synchronization

/// Puts off showing what is recorded until several changes are, so that the view is written once for all of them; and has what was
/// recorded and not shown yet, so that it is not read again.
///
/// Nothing depends on it: whoever updates the view shows everything that is recorded, held or not.
package final class ViewHold: Sendable {
    private struct State {
        var isHeld = false
        var isDue = false
        var rows = ReadRows()
    }

    private let state = Mutex(State())

    package init() {}

    func begin() { state.withLock { $0.isHeld = true } }

    func end() { state.withLock { $0.isHeld = false } }

    /// Notes that something was recorded.
    /// - Returns: False where it is to be shown now.
    func postpone() -> Bool {
        state.withLock { state in
            if state.isHeld { state.isDue = true }
            return state.isHeld
        }
    }

    /// Whether something is to be shown now that was put off.
    func take() -> Bool {
        state.withLock { state in
            defer { state.isDue = false }
            return state.isDue
        }
    }

    /// It could not be shown.
    func putBack() { state.withLock { $0.isDue = true } }

    /// What was recorded since ``takeRows()``.
    var rows: ReadRows { state.withLock { $0.rows } }

    func takeRows() -> ReadRows {
        state.withLock { state in
            defer { state.rows = ReadRows() }
            return state.rows
        }
    }
}
