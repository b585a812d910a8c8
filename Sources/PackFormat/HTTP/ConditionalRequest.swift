/// How the conditional and range headers of a request change an answer (RFC 9110 sections 13 and 14).
///
///     let request = ConditionalRequest(method: "GET") { headers[$0] }
///     switch request.outcome(for: EntityTag(file.digest), size: file.size) {
///     case .whole: …            // 200
///     case .part(let range): …  // 206
///     …
///     }
///
/// Content here is named by its digest and has no modification date. So `If-Modified-Since` and `If-Unmodified-Since`
/// are ignored, as sections 13.1.3 and 13.1.4 require, and a date in `If-Range` never holds.
public struct ConditionalRequest: Hashable, Sendable {
    public let method: String
    public let ifMatch: String?
    public let ifNoneMatch: String?
    public let ifRange: String?
    public let range: String?

    /// - Parameter field: the value of a header by its lower-case name, several lines joined by `, `.
    public init(method: String, field: (String) -> String?) {
        self.method = method
        ifMatch = field("if-match")
        ifNoneMatch = field("if-none-match")
        ifRange = field("if-range")
        range = field("range")
    }

    public enum Outcome: Hashable, Sendable {
        /// 200 with everything (for HEAD: its headers).
        case whole
        /// 206 with a part.
        case part(ByteRange)
        /// 304 without content.
        case notModified
        /// 412.
        case preconditionFailed
        /// 416 with `Content-Range: bytes */size`.
        case unsatisfiable
    }

    /// Evaluates the headers in the order of section 13.2.2.
    public func outcome(for tag: EntityTag, size: Int) -> Outcome {
        if let ifMatch, !Self.holds(ifMatch, comparison: tag.stronglyMatches) { return .preconditionFailed }
        let isRead = method == "GET" || method == "HEAD"
        if let ifNoneMatch, Self.holds(ifNoneMatch, comparison: tag.weaklyMatches) {
            return isRead ? .notModified : .preconditionFailed
        }
        // Section 14.2: ranges are defined for GET only.
        guard method == "GET" else { return .whole }
        if let ifRange {
            guard let wanted = EntityTag(ifRange), wanted.stronglyMatches(tag) else { return .whole }
        }
        switch ByteRange.selection(by: range, of: size) {
        case .whole: return .whole
        case .part(let range): return .part(range)
        case .unsatisfiable: return .unsatisfiable
        }
    }

    private static func holds(_ text: String, comparison: (EntityTag) -> Bool) -> Bool {
        switch EntityTag.List(text) {
        case nil: false
        case .any: true
        case .tags(let tags): tags.contains(where: comparison)
        }
    }
}
