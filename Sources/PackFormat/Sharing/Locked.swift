import Foundation

/// A value that several threads share; only one at a time can use it.
///
/// `Mutex` of the standard library needs iOS 18, but the device libraries support iOS 17. The stored value is used
/// only under the lock, in the one method below; the compiler cannot see that.
package final class Locked<Value: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
