/// Findings for people: those of one kind with the same beginning are grouped, ten of each, with the number of the
/// others.
package struct FindingSummary: Sendable {
    private static let shownCount = 10

    private struct Group: Hashable {
        let severity: Finding.Severity
        let kind: Finding.Kind
        /// Of the URL that a finding is about: `/assets/`, `https://cdn.example.com/`; empty for none.
        let prefix: String
    }

    /// One line for each finding, or for several.
    package let lines: [String]

    /// - Parameter showsAll: Whether every finding gets a line.
    package init(_ findings: [Finding], showsAll: Bool) {
        if showsAll {
            lines = findings.map(\.description)
            return
        }
        var order: [Group] = []
        var members: [Group: [Finding]] = [:]
        for finding in findings {
            let group = Group(severity: finding.severity, kind: finding.kind, prefix: Self.prefix(of: finding.target))
            if members[group] == nil { order.append(group) }
            members[group, default: []].append(finding)
        }
        var lines: [String] = []
        // Errors first: nobody is to look for them below warnings.
        let sorted = order.filter { $0.severity == .error } + order.filter { $0.severity != .error }
        for group in sorted.prefix(Self.shownCount) {
            let all = members[group] ?? []
            lines += all.prefix(Self.shownCount).map(\.description)
            if all.count > Self.shownCount {
                let place = group.prefix.isEmpty ? "" : " at \(group.prefix)"
                lines.append(
                    "… and \(all.count - Self.shownCount) more \(group.severity.rawValue)s [\(group.kind.rawValue)]"
                        + "\(place), \(all.count) in all: --verbose lists them")
            }
        }
        let hidden = sorted.dropFirst(Self.shownCount)
        if !hidden.isEmpty {
            let count = hidden.reduce(0) { $0 + (members[$1]?.count ?? 0) }
            let kinds = Set(hidden.map(\.kind.rawValue)).sorted().joined(separator: ", ")
            lines.append("… and \(count) more in \(hidden.count) other places [\(kinds)]: --verbose lists them")
        }
        self.lines = lines
    }

    /// The first component of a path, or scheme and host.
    private static func prefix(of target: String?) -> String {
        guard let target else { return "" }
        let parts = target.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        if target.contains("://") || target.hasPrefix("//") { return parts.prefix(3).joined(separator: "/") + "/" }
        guard target.hasPrefix("/") else { return "relative URLs" }
        return parts.count > 2 ? "/\(parts[1])/" : "/"
    }
}
