import PackTrust
import Synchronization

/// A store in memory that can lose power: after a number of changes, every further one fails and does nothing.
final class MemoryTrustStore: TrustStore {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var changesUntilCrash: Int?
        var changes = 0
    }

    private let state = Mutex(State())

    struct PowerCut: Error {}

    init(_ files: [String: [UInt8]] = [:]) {
        state.withLock { $0.files = files }
    }

    var files: [String: [UInt8]] {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    /// How often something was written or removed.
    var changes: Int { state.withLock { $0.changes } }

    func crash(after changes: Int?) {
        state.withLock { $0.changesUntilCrash = changes }
    }

    func read(_ name: String) throws -> [UInt8]? { files[name] }

    func write(_ bytes: [UInt8], to name: String) throws { try change { $0[name] = bytes } }

    func remove(_ name: String) throws { try change { $0[name] = nil } }

    private func change(_ body: (inout [String: [UInt8]]) -> Void) throws {
        try state.withLock { state in
            if let left = state.changesUntilCrash {
                guard left > 0 else { throw PowerCut() }
                state.changesUntilCrash = left - 1
            }
            state.changes += 1
            body(&state.files)
        }
    }
}
