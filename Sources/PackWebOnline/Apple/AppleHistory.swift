#if canImport(WebKit)
    public import PackWeb
    public import WebKit

    /// Reads a `WKWebView`'s back-forward list for ``PageDirectory`` and ``ViewPages``. Make one for each view.
    ///
    ///     pages.commit(url, history: history.read(webView.backForwardList), isRestored: isRestored)  // didCommit
    @MainActor
    public struct AppleHistory {
        /// Held while they are in the list, so that no other item gets the address of one.
        private var known: [(item: WKBackForwardListItem, number: Int)] = []
        private var count = 0

        public init() {}

        /// The list at the time of `didCommit`.
        public mutating func read(_ list: WKBackForwardList) -> ViewHistory {
            let items = list.backList + [list.currentItem].compactMap { $0 } + list.forwardList
            let before = known
            known = items.map { item in
                if let same = before.first(where: { $0.item === item }) { return same }
                count += 1
                return (item, count)
            }
            let current = known.first { $0.item === list.currentItem }?.number
            return ViewHistory(places: Set(known.map(\.number)), current: current ?? 0)
        }
    }
#endif
