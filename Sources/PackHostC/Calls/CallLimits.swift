import Dispatch

/// How long a call may block its thread, and what may end it before.
struct CallLimits {
    /// About ten years: a longer time is as good as none, and cannot be added to a clock.
    private static let longest: Int64 = 315_360_000_000

    let deadline: DispatchTime
    let canceller: Canceller?

    static let none = CallLimits(deadline: .distantFuture, canceller: nil)

    static func deadline(_ milliseconds: Int64) -> DispatchTime {
        milliseconds < 0 ? .distantFuture : .now() + .milliseconds(Int(min(milliseconds, longest)))
    }
}
