/// Exceptions by host, path, type and size: what the device answers, what goes online, what is denied.
///
///     { "format": 1, "rules": [
///         { "name": "ads", "action": "deny", "host": "*.ads.example" },
///         { "name": "films", "action": "online", "types": ["video/*"], "minimumSize": 5000000 } ],
///       "api": { "/printer/": "http://127.0.0.1:9100/" } }
///
/// The first rule whose conditions all hold decides; without one a package's files are answered from the device. An app has
/// rules of its own, and a channel may carry some (``ChannelFile/rules``).
public struct WebRules: Hashable, Sendable {
    public static let currentFormat = 1
    /// Bounds on a document from outside.
    public static let maximumByteCount = 1 << 20
    public static let maximumRuleCount = 1000

    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// Answer from the device: an exception from a later, broader rule.
        case local
        /// Send to the package's web site (its first origin), or unchanged if the request is not a package's.
        case online
        /// Answer 403.
        case deny
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

    /// These rules, and then those of a channel. What the app says is asked first.
    public func followed(by channel: WebRules?) -> WebRules {
        WebRules(rules + (channel?.rules ?? []), api: api)
    }
}
