import Foundation

/// The progress of decoding a frame, shared between two threads.
final class DecodingProgress {
    /// Thrown to the decoding thread when nobody wants its bytes any more.
    struct GivenUp: Error {}

    private let condition = NSCondition()
    private var count = 0
    private var hasEnded = false
    private var isGivenUp = false

    /// Tells that so many bytes are there.
    /// - Throws: ``GivenUp`` after ``giveUp()``.
    func advance(to count: Int) throws(GivenUp) {
        condition.lock()
        defer { condition.unlock() }
        if isGivenUp { throw GivenUp() }
        self.count = count
        condition.signal()
    }

    /// Tells that no more will come.
    func end() {
        condition.lock()
        defer { condition.unlock() }
        hasEnded = true
        condition.signal()
    }

    /// Waits until there are more than `position` bytes.
    /// - Returns: How many there are; nil if no more will come.
    func wait(beyond position: Int) -> Int? {
        condition.lock()
        defer { condition.unlock() }
        while count <= position, !hasEnded { condition.wait() }
        return count > position ? count : nil
    }

    /// The bytes are not wanted any more.
    func giveUp() {
        condition.lock()
        defer { condition.unlock() }
        isGivenUp = true
    }
}
