import PackFormat

/// How serious a kind of finding is in a project: `"audit"` of `packtool.json`.
///
///     "audit": { "no-confirm": "off", "missing-file": { "docs/**": "off", "*.css": "error" } }
///
/// Of several patterns that match a file the last one counts, as in a `.packignore`.
package struct AuditLevels: Hashable, Sendable {
    package enum Level: String, CaseIterable, Sendable {
        case error
        case warning
        case off
    }

    private struct Rule: Hashable {
        let kind: Finding.Kind
        /// Nil for every file.
        let pattern: IgnorePattern?
        let level: Level
    }

    private var rules: [Rule] = []

    package init() {}

    package mutating func set(_ level: Level, for kind: Finding.Kind, files pattern: String? = nil) {
        rules.append(Rule(kind: kind, pattern: pattern.flatMap { IgnorePattern(line: $0) }, level: level))
    }

    /// The finding with the project's level; nil if that is off.
    /// - Parameter path: the file that it is about, in the package.
    func judge(_ finding: Finding, at path: PackagePath?) -> Finding? {
        let rule = rules.last { rule in
            guard rule.kind == finding.kind else { return false }
            guard let pattern = rule.pattern else { return true }
            return path.map { PathRules([pattern]).selects($0) } ?? false
        }
        switch rule?.level {
        case nil: return finding
        case .off: return nil
        case .error: return finding.with(.error)
        case .warning: return finding.with(.warning)
        }
    }
}
