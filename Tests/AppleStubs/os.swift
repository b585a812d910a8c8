// What our Apple branches use of `os`, so that they are type-checked on Linux. Declarations only.
@available(iOS 16.0, macOS 13.0, *)
public struct OSAllocatedUnfairLock<State>: Sendable where State: Sendable {
    public init(initialState: State) {}
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { fatalError() }
}
