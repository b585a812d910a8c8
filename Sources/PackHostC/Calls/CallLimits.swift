import Dispatch

/// How long a call may block its thread, and what may end it before.
struct CallLimits {
    /// About ten years: a longer time is as good as none, and cannot be added to a clock.
    private static let longest: Int64 = 315_360_000_000

    let deadline: DispatchTime
    let canceller: Canceller?

    static let none = CallLimits(deadline: .distantFuture, canceller: nil)

    private init(deadline: DispatchTime, canceller: Canceller?) {
        self.deadline = deadline
        self.canceller = canceller
    }

    /// - Parameters:
    ///   - milliseconds: negative for no limit.
    ///   - handle: of a canceller; 0 for none.
    init(_ milliseconds: Int64, _ handle: UInt64) throws(CallFault) {
        deadline = Self.deadline(milliseconds)
        canceller = handle == 0 ? nil : try HandleTable.canceller(handle)
    }

    static func deadline(_ milliseconds: Int64) -> DispatchTime {
        milliseconds < 0 ? .distantFuture : .now() + .milliseconds(Int(min(milliseconds, longest)))
    }
}
