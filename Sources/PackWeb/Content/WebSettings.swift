public import PackFormat

/// Which packages an app's pages may use, and how. A value: a page keeps the one that it started with.
public struct WebSettings: Sendable {
    public struct Package: Hashable, Sendable {
        /// The feature gate that the channel carries: false sends the package's pages to the online copy.
        public var isEnabled: Bool
        /// The URL prefix, ending with `/`, of the online copy of the version that the device should have.
        public var onlineCopy: String?
        /// The URL prefixes that the package answers, from its manifest.
        public var origins: [String]

        public init(isEnabled: Bool = true, onlineCopy: String? = nil, origins: [String] = []) {
            self.isEnabled = isEnabled
            self.onlineCopy = onlineCopy
            self.origins = origins
        }

        /// Where the package is found when the device does not answer.
        var fallbackPrefix: String? { onlineCopy ?? origins.first }
    }

    /// The registered packages, installed or not.
    public var packages: [PackageID: Package]
    /// The custom schemes of the app's web views, in lower case.
    public var schemes: Set<String>
    public var rules: WebRules

    public init(packages: [PackageID: Package] = [:], schemes: Set<String> = [], rules: WebRules = WebRules()) {
        self.packages = packages
        self.schemes = schemes
        self.rules = rules
    }
}
