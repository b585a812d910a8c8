package import PackTrust
import Synchronization

/// Reads a store and keeps what would be written to it in memory: a dry run verifies as the real one does and leaves no trace.
package final class PreviewTrustStore: TrustStore {
    private let base: any TrustStore
    /// nil for what was removed.
    private let changes = Mutex<[String: [UInt8]?]>([:])

    package init(_ base: any TrustStore) {
        self.base = base
    }

    package func read(_ name: String) throws -> [UInt8]? {
        if let changed = changes.withLock({ $0[name] }) { return changed }
        return try base.read(name)
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        changes.withLock { $0[name] = .some(bytes) }
    }

    package func remove(_ name: String) throws {
        changes.withLock { $0[name] = .some(nil) }
    }
}
