// What our Apple branches use of `os`, so that they are type-checked on Linux. Declarations only.
public struct OSAllocatedUnfairLock<State>: Sendable where State: Sendable {
    public init(initialState: State) {}
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { fatalError() }
}
