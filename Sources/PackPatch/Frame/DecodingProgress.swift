import Dispatch
import PackFormat

/// The progress of decoding a frame, shared between two threads: one decodes, one waits.
final class DecodingProgress: Sendable {
    /// Thrown to the decoding thread when nobody wants its bytes any more.
    struct GivenUp: Error {}

    private struct State {
        var count = 0
        var hasEnded = false
        var isGivenUp = false
    }

    private let state = Locked(State())
    /// Counts what the waiting thread has not looked at.
    private let news = DispatchSemaphore(value: 0)

    /// Tells that so many bytes are there.
    /// - Throws: ``GivenUp`` after ``giveUp()``.
    func advance(to count: Int) throws(GivenUp) {
        let isGivenUp = state.withLock { state in
            if !state.isGivenUp { state.count = count }
            return state.isGivenUp
        }
        if isGivenUp { throw GivenUp() }
        news.signal()
    }

    /// Tells that no more will come.
    func end() {
        state.withLock { $0.hasEnded = true }
        news.signal()
    }

    /// Waits until there are more than `position` bytes.
    /// - Returns: How many there are; nil if no more will come.
    func wait(beyond position: Int) -> Int? {
        while true {
            let state = state.withLock { $0 }
            if state.count > position { return state.count }
            if state.hasEnded { return nil }
            news.wait()
        }
    }

    /// The bytes are not wanted any more.
    func giveUp() { state.withLock { $0.isGivenUp = true } }
}
