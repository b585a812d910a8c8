import PackFormat
import PackHost

/// One attempt to show a page.
struct Attempt {
    let number: Int
    var url = ""
    /// The page, where the device itself has answered its document from an installed version; nothing else says anything about
    /// a version.
    var page: StartedPage?
    var version: String?
    /// Until then the page before it is the one on view, and speaks.
    var hasCommitted = false
    var isReady = false
    var hasFailed = false
    var isOver = false
}
