import Synchronization

/// What the network is like for a preview's pages. Files of the package do not need it.
final class PreviewNetwork: Sendable {
    enum Mode: String, CaseIterable, Sendable {
        case normal
        /// As on a poor mobile connection: half a second, and 50 kB a second.
        case slow
        case offline
    }

    private static let delay: Duration = .milliseconds(500)
    private static let bytesASecond = 50_000.0

    private let state = Mutex(Mode.normal)

    var mode: Mode {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Waits as long as an answer of this size takes.
    func wait(for byteCount: Int) async throws {
        guard mode == .slow else { return }
        try await Task.sleep(for: Self.delay + .seconds(Double(byteCount) / Self.bytesASecond))
    }
}
