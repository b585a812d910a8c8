import CPackHost
import PackFormat
import PackUpdater

/// The caller's callback for an update, called on the thread that waits for it.
struct ProgressListener {
    let callback: packhost_progress_callback?
    let context: UnsafeMutableRawPointer?

    /// Hands an event over, if C has a form for it.
    /// - Returns: false if the caller cancels the update.
    func take(_ event: UpdateEvent) -> Bool {
        guard let callback else { return true }
        switch event {
        case .checking:
            var progress = packhost_progress()
            progress.phase = Int32(PACKHOST_CHECKING.rawValue)
            progress.expected = -1
            return callback(context, &progress) == 0
        case .progress(let progress):
            return progress.package.text.withCString { package in
                progress.version.description.withCString { version in
                    var event = packhost_progress(
                        phase: Self.number(of: progress.phase), package: package, version: version,
                        received: Int64(progress.received), expected: progress.expected.map { Int64($0) } ?? -1)
                    return callback(context, &event) == 0
                }
            }
        case .finished, .failed: return true
        }
    }

    private static func number(of phase: UpdateProgress.Phase) -> Int32 {
        switch phase {
        case .downloading: Int32(PACKHOST_DOWNLOADING.rawValue)
        case .unpacking: Int32(PACKHOST_UNPACKING.rawValue)
        case .installing: Int32(PACKHOST_INSTALLING.rawValue)
        }
    }
}
