import PackFormat

/// Counts the bytes of one version's downloads. Transfers find it in their task; those of nobody's version count nothing.
final class DownloadMeter: Sendable {
    @TaskLocal static var current: DownloadMeter?

    private struct State {
        /// By path: what is here, and what there will be.
        var files: [String: (received: Int, expected: Int?)] = [:]
        var shown = -1
    }

    /// A step of the count that is worth an event.
    private static let stepByteCount = 64 << 10

    private let package: PackageID
    private let version: SemanticVersion
    private let broadcast: UpdateBroadcast
    private let state = Locked(State())

    init(_ package: PackageID, _ version: SemanticVersion, _ broadcast: UpdateBroadcast) {
        self.package = package
        self.version = version
        self.broadcast = broadcast
    }

    /// - Parameters:
    ///   - received: of the file at this path, with what an attempt before left.
    ///   - expected: of all of it; nil if the server does not say.
    func report(_ path: String, received: Int, expected: Int?) {
        let count = state.withLock { state -> (received: Int, expected: Int?)? in
            state.files[path] = (received, expected)
            let sum = state.files.values.reduce(0) { $0 + $1.received }
            let isWhole = received == expected
            guard abs(sum - state.shown) >= Self.stepByteCount || isWhole && sum != state.shown else { return nil }
            state.shown = sum
            let totals = state.files.values.compactMap(\.expected)
            return (sum, totals.count == state.files.count ? totals.reduce(0, +) : nil)
        }
        guard let count else { return }
        broadcast.send(
            .progress(
                UpdateProgress(
                    package: package, version: version, phase: .downloading, received: count.received,
                    expected: count.expected)))
    }

    func enter(_ phase: UpdateProgress.Phase) {
        let received = state.withLock { state in state.files.values.reduce(0) { $0 + $1.received } }
        broadcast.send(
            .progress(
                UpdateProgress(
                    package: package, version: version, phase: phase, received: received, expected: received)))
    }
}
