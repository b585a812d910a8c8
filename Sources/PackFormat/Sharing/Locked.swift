#if canImport(Darwin)
    import os
#else
    import Synchronization
#endif

/// A value that several threads share; only one at a time can use it.
///
/// `Mutex` of the standard library needs iOS 18, but the device libraries support iOS 16. So Apple's platforms get the
/// lock that `Mutex` is made of there. It is not recursive: a body that locks the same value again never returns.
package final class Locked<Value: Sendable>: Sendable {
    #if canImport(Darwin)
        private let value: OSAllocatedUnfairLock<Value>
    #else
        private let value: Mutex<Value>
        /// Shows the thread sanitizer that one body is after another (scripts/soak.sh). It does not see how a thread waits
        /// inside `Mutex` (Swift 6.3), and would report a race.
        private let order = Atomic(false)
    #endif

    package init(_ value: Value) {
        #if canImport(Darwin)
            self.value = OSAllocatedUnfairLock(initialState: value)
        #else
            self.value = Mutex(value)
        #endif
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        #if canImport(Darwin)
            try value.withLockUnchecked { try body(&$0) }
        #else
            try value.withLock { value in
                _ = order.load(ordering: .acquiring)
                defer { order.store(false, ordering: .releasing) }
                return try body(&value)
            }
        #endif
    }
}
