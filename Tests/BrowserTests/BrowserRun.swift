import Foundation

/// Whether the tests that drive a real Chromium are to run: `make browser`, and the long sweeps.
///
/// They are not in `make test`: about one run in four waits for a page of the bench that never says that it is done.
enum BrowserRun {
    static let isWanted = ["PACKTOOL_BROWSER", "PACKTOOL_LONG"].contains {
        ProcessInfo.processInfo.environment[$0]?.isEmpty == false
    }
}
