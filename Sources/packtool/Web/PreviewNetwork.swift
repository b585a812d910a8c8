import Synchronization

/// What the network is like for the requests that a preview sends for its pages: those that it forwards to a server, and with
/// `--hook full` those of scripts to other origins. Files of the package need no network. What the browser itself requests of
/// other origins does not come through here.
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

    /// Waits as long as a part of an answer takes.
    /// - Parameters:
    ///   - byteCount: the size of the part in bytes.
    ///   - isFirst: whether the answer begins with it.
    func wait(for byteCount: Int, isFirst: Bool) async throws {
        guard mode == .slow else { return }
        try await Task.sleep(for: (isFirst ? Self.delay : .zero) + .seconds(Double(byteCount) / Self.bytesASecond))
    }
}
