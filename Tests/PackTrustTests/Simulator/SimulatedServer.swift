import PackTrust
import Synchronization

/// A transport that is the repository: it serves the files it was given, counts what is asked, and can misbehave.
final class SimulatedServer: TrustTransport {
    private struct State {
        var files: [String: [UInt8]] = [:]
        var requests: [String] = []
        var limits: [String: Int] = [:]
        var unreachable: Set<String> = []
    }

    private let state = Mutex(State())

    func serve(_ files: [String: [UInt8]]) {
        state.withLock { $0.files = files }
    }

    /// Every request for the path fails as if the network did.
    func cut(_ path: String) {
        state.withLock { _ = $0.unreachable.insert(path) }
    }

    /// The paths asked for since the last call, in order.
    func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// The limit with which a path was last asked for.
    func limit(of path: String) -> Int? {
        state.withLock { $0.limits[path] }
    }

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        try state.withLock { state in
            state.requests.append(path)
            state.limits[path] = maximumByteCount
            if state.unreachable.contains(path) { throw TrustError.transport(name: path, reason: "the wire is cut") }
            return state.files[path]
        }
    }
}
