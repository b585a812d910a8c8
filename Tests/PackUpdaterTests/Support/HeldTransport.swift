import Foundation
import Synchronization

@testable import PackUpdater

/// A transport on which one path can be held up.
final class HeldTransport: UpdateTransport {
    private struct State {
        var path: String?
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let inner: FolderTransport
    private let state = Mutex(State())

    init(_ registry: TestRegistry) { inner = FolderTransport(folder: registry.view) }

    var isHolding: Bool { state.withLock { $0.waiting != nil } }

    func hold(_ path: String) { state.withLock { $0.path = path } }

    func release() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        waiting?.resume()
    }

    private func pass(_ path: String) async {
        guard state.withLock({ $0.path == path }) else { return }
        await withCheckedContinuation { continuation in state.withLock { $0.waiting = continuation } }
    }

    func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
        await pass(path)
        return try await inner.read(path, maximumByteCount: maximumByteCount, validator: validator)
    }

    func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
        await pass(path)
        return try await inner.download(path, to: file, maximumByteCount: maximumByteCount)
    }
}
