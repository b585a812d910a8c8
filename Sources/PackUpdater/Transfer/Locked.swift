import Foundation

/// A value that threads share, one at a time.
///
/// `Mutex` of the standard library needs iOS 18 and this library runs on iOS 17. The stored value is touched under the
/// lock only, in the one method below: that is what the compiler cannot see.
final class Locked<Value: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
