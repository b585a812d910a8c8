public import Foundation
public import PackFormat

/// Exceptions by host, path, type and size, in a document that the app may load from any source that it trusts.
///
///     { "format": 1, "rules": [
///         { "name": "ads", "action": "deny", "host": "*.ads.example" },
///         { "name": "films", "action": "online", "types": ["video/*"], "minimumSize": 5000000 } ],
///       "api": { "/printer/": "http://127.0.0.1:9100/" } }
///
/// The first rule whose conditions all hold decides; without one a package's files are answered from the device.
public struct WebRules: Hashable, Sendable {
    public static let currentFormat = 1
    /// The limits for a document from outside.
    public static let maximumByteCount = 1 << 20
    public static let maximumRuleCount = 1000

    public enum Action: String, Hashable, Sendable, Codable {
        /// Answer from the device: an exception from a later, broader rule.
        case local
        /// Send to the package's web site (its first origin), or unchanged if the request is not a package's.
        case online
        /// Answer 403.
        case deny

        var strictness: Int {
            switch self {
            case .local: 0
            case .online: 1
            case .deny: 2
            }
        }
    }

    public struct Rule: Hashable, Sendable {
        /// The name of the rule, which the page's report gives as the reason.
        public var name: String
        public var action: Action
        /// A host, or `*.example.com` for every host below it.
        public var host: String?
        /// A path of the URL, in which `*` matches any characters. Percent-encoding makes no difference, in the rule
        /// or in the URL: a rule that denies `/a` denies `/%61`. For a file that the device has, its own path counts
        /// too, and the stricter rule wins: a rule that denies `/a.html` denies `/a`.
        public var path: String?
        /// Media types such as `video/mp4` or `video/*`. The condition applies only to a file that the device has.
        public var types: [String]?
        /// The size limits in bytes, inclusive. They apply only to a file that the device has.
        public var minimumSize: Int?
        public var maximumSize: Int?

        public init(
            name: String, action: Action, host: String? = nil, path: String? = nil, types: [String]? = nil,
            minimumSize: Int? = nil, maximumSize: Int? = nil
        ) {
            self.name = name
            self.action = action
            self.host = host
            self.path = path
            self.types = types
            self.minimumSize = minimumSize
            self.maximumSize = maximumSize
        }
    }

    public var rules: [Rule]
    /// Paths of all packages that lead to services. They come before those of a package's own manifest.
    public var api: APIRoutes

    public init(_ rules: [Rule] = [], api: APIRoutes = .none) {
        self.rules = rules
        self.api = api
    }

    /// Parses the document. An unknown key is refused, because a rule with an unknown condition would apply too
    /// often.
    /// - Throws: ``WebError/invalidRules(_:)``
    public init(parsing data: Data) throws(WebError) {
        guard data.count <= Self.maximumByteCount else {
            throw .invalidRules("the document is larger than \(Self.maximumByteCount) bytes")
        }
        do {
            let document = try JSONDecoder().decode(Document.self, from: data)
            guard document.format == Self.currentFormat else {
                throw WebError.invalidRules("format \(document.format) is not \(Self.currentFormat)")
            }
            guard document.rules.count <= Self.maximumRuleCount else {
                throw WebError.invalidRules("there are more than \(Self.maximumRuleCount) rules")
            }
            self.init(document.rules, api: try APIRoutes(document.api))
        } catch let error as WebError {
            throw error
        } catch {
            throw .invalidRules("\(error)")
        }
    }

    /// The rule that decides a request; nil if none does.
    func rule(host: String, path: String, file: (type: MediaType, size: Int)?) -> Rule? {
        guard !rules.isEmpty else { return nil }
        let path = RulePath(path)
        return rules.first { $0.holds(host: host, path: path, file: file) }
    }

    private struct Document: Decodable {
        let format: Int
        let rules: [Rule]
        let api: [String: String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: StrictKey.self)
            try container.refuseKeys(outside: ["format", "rules", "api"])
            format = try container.decode(Int.self, forKey: StrictKey("format"))
            rules = try container.decode([Rule].self, forKey: StrictKey("rules"))
            api = try container.decodeIfPresent([String: String].self, forKey: StrictKey("api")) ?? [:]
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

extension WebRules.Rule: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StrictKey.self)
        try container.refuseKeys(
            outside: ["name", "action", "host", "path", "types", "minimumSize", "maximumSize"])
        self.init(
            name: try container.decode(String.self, forKey: StrictKey("name")),
            action: try container.decode(WebRules.Action.self, forKey: StrictKey("action")),
            host: try container.decodeIfPresent(String.self, forKey: StrictKey("host")),
            path: try container.decodeIfPresent(String.self, forKey: StrictKey("path")),
            types: try container.decodeIfPresent([String].self, forKey: StrictKey("types")),
            minimumSize: try container.decodeIfPresent(Int.self, forKey: StrictKey("minimumSize")),
            maximumSize: try container.decodeIfPresent(Int.self, forKey: StrictKey("maximumSize")))
    }
}
