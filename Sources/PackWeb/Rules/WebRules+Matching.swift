import PackFormat

extension WebRules {
    /// The rule that decides a request; nil where none does.
    func rule(host: String, path: String, file: (type: MediaType, size: Int)?) -> Rule? {
        guard !rules.isEmpty else { return nil }
        let path = RulePath(path)
        return rules.first { $0.holds(host: host, path: path, file: file) }
    }
}

extension WebRules.Action {
    var strictness: Int {
        switch self {
        case .local: 0
        case .online: 1
        case .deny: 2
        }
    }
}

extension WebRules.Rule {
    func holds(host: String, path: RulePath, file: (type: MediaType, size: Int)?) -> Bool {
        if let pattern = self.host, !Self.host(host, matches: pattern.lowercased()) { return false }
        if let pattern = self.path, !path.matches(RuleGlob(path: pattern)) { return false }
        if types == nil, minimumSize == nil, maximumSize == nil { return true }
        guard let file else { return false }
        if let types, !types.contains(where: { RuleGlob($0.lowercased()).matches(file.type.essence) }) { return false }
        return file.size >= minimumSize ?? 0 && file.size <= maximumSize ?? .max
    }

    private static func host(_ host: String, matches pattern: String) -> Bool {
        if pattern.hasPrefix("*.") { return host.hasSuffix(pattern.dropFirst()) }
        return host == pattern
    }
}
