/// What a page requested and how it was answered: the first thing to read when a page is slow or broken.
public struct PageReport: Hashable, Sendable, Codable {
    public enum Outcome: String, Hashable, Sendable, Codable {
        case local
        case online
        /// The device answered with an error.
        case missed
    }

    public struct Entry: Hashable, Sendable, Codable {
        public let number: Int
        public let method: String
        public let url: String
        public let outcome: Outcome
        public let reason: SiteAnswer.Reason
        /// The rule that decided, the path that was opened, or the error.
        public let detail: String?
        /// What the request is for, according to the engine (`Sec-Fetch-Dest`); nil if the engine does not say.
        public var destination: String?
        /// Nil until an online answer has arrived.
        public var status: Int?
        /// The number of body bytes that were handed over; nil until the request has ended.
        public var byteCount: Int?
        /// The time from the request's start in milliseconds; nil until it has ended.
        public var milliseconds: Double?
    }

    /// The largest number of entries. Further requests of a page are only counted.
    public static let maximumEntryCount = 2000

    /// The versions that the page was pinned to, by package.
    public internal(set) var versions: [String: String] = [:]
    public internal(set) var entries: [Entry] = []
    /// The number of requests beyond ``maximumEntryCount``.
    public internal(set) var droppedCount = 0

    /// The addresses of scripts and styles that the page requested and its version does not have. Without them the
    /// page may be blank. If the engine does not say what a request is for, the name's ending decides. Requests of
    /// frames of other packages are left out, because they say nothing about the page's own version.
    public var missingParts: [String] {
        let page = entries.first.flatMap { WebURL($0.url)?.host }
        return entries.filter { entry in
            guard entry.outcome == .missed, entry.reason == .notInVersion, WebURL(entry.url)?.host == page else {
                return false
            }
            if let destination = entry.destination { return ["script", "style"].contains(destination) }
            let path = entry.url.prefix { $0 != "?" && $0 != "#" }
            return [".js", ".mjs", ".css"].contains { path.hasSuffix($0) }
        }.map(\.url)
    }

    mutating func add(_ entry: Entry) {
        if entries.count < Self.maximumEntryCount {
            entries.append(entry)
        } else {
            droppedCount += 1
        }
    }

    /// Entries are in the order of their numbers, from 0, without gaps.
    mutating func finish(_ number: Int, status: Int?, byteCount: Int, milliseconds: Double) {
        guard entries.indices.contains(number) else { return }
        if let status { entries[number].status = status }
        entries[number].byteCount = byteCount
        entries[number].milliseconds = milliseconds
    }
}
