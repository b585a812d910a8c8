import Dispatch

/// Uses all cores of the machine for work whose parts are independent.
enum Cores {
    /// What `body` makes of each number below `count`; in the caller's own thread if there is only one.
    ///
    /// Part 0 has begun before any other, so another may wait for it.
    static func map<Result>(_ count: Int, _ body: (Int) -> Result) -> [Result] {
        guard count > 1 else { return (0..<count).map(body) }
        return withoutActuallyEscaping(body) { body in
            [Result](unsafeUninitializedCapacity: count) { results, initialized in
                // Sound, because each part writes to a place of its own, and all have ended when this returns. `body` cannot be
                // `@Sendable`: the parts work on one text in raw memory. They change only what is theirs.
                nonisolated(unsafe) let (start, body) = (results.baseAddress, body)
                DispatchQueue.concurrentPerform(iterations: count) { index in
                    let result = body(index)
                    if let start { (start + index).initialize(to: result) }
                }
                initialized = count
            }
        }
    }
}
