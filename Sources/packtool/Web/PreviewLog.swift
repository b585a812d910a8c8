import PackJSON
import Synchronization

/// What answered the requests of a preview's pages, for the overlay.
final class PreviewLog: Sendable {
    /// What answered a request, in the words of the overlay.
    enum Source: String, Sendable {
        /// The package's own files.
        case package
        /// A server that `--proxy` or the package's `api` names.
        case proxy
        /// A server elsewhere, through the page hook.
        case online
        /// Nothing: a device would not have it.
        case missed
        /// The network is switched off.
        case offline
    }

    private struct Entry: Sendable {
        let number: Int
        /// The page that made the request, by its document's key; nil: no page is known.
        let page: String?
        let source: Source
        let method: String
        let path: String
        let status: Int
    }

    private static let maximumCount = 300
    private let state = Mutex((count: 0, entries: [Entry]()))

    /// - Parameter page: The key of the page's document.
    func add(_ source: Source, _ method: String, _ path: String, status: Int, page: String?) {
        state.withLock { state in
            // A browser tries a request without an answer several times.
            if source == .offline, let last = state.entries.last, last.source == source, last.method == method,
                last.path == path, last.page == page
            {
                return
            }
            state.count += 1
            state.entries.append(
                Entry(
                    number: state.count, page: page, source: source, method: method, path: path, status: status))
            if state.entries.count > Self.maximumCount { state.entries.removeFirst() }
        }
    }

    /// The answers after a number, oldest first.
    /// - Parameter page: The key of one page's document; nil for all pages.
    func entries(after number: Int, page: String?) -> [JSONValue] {
        state.withLock { $0.entries }.filter { $0.number > number && (page == nil || $0.page == page) }.map { entry in
            .object([
                "number": .integer(entry.number), "by": .string(entry.source.rawValue), "method": .string(entry.method),
                "path": .string(entry.path), "status": .integer(entry.status),
            ])
        }
    }
}
