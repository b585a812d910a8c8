import PackSystem
import PackUpdater

/// The head of an answer as its lines come.
struct CurlHead {
    private(set) var status = 0
    private(set) var isComplete = false
    private var fields: [String: String] = [:]

    /// - Parameter line: as the server sent it. A status line begins a new head: an answer may follow an interim one (100).
    /// - Returns: whether it was the last line of the answer's head. What follows the body belongs to none.
    mutating func add(_ line: String) -> Bool {
        if line.hasPrefix("HTTP/") {
            self = CurlHead()
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
            return false
        }
        guard !isComplete else { return false }
        if line.allSatisfy(\.isNewline) {
            isComplete = status >= 200
            return isComplete
        }
        let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return false }
        let name = halves[0].lowercased()
        let value = halves[1].trimmed
        fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        return false
    }

    /// Whether a client follows it, where it names a place (RFC 9110 section 15.4). A POST goes on only as one.
    func isRedirect(of method: String) -> Bool {
        let statuses = method == "GET" ? [301, 302, 303, 307, 308] : [307, 308]
        return statuses.contains(status) && fields["location"] != nil
    }

    var http: NetworkHead {
        let fields = fields
        return NetworkHead(status: status) { fields[$0.lowercased()] }
    }
}
