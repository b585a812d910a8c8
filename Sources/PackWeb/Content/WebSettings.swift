public import PackFormat

/// Which packages an app's pages may use, and how. It is a value: a page keeps the settings that it started with.
public struct WebSettings: Sendable {
    public struct Package: Hashable, Sendable {
        /// The feature gate of the channel. If it is false, the package's pages go to its `origins`.
        public var isEnabled: Bool
        /// The URL prefixes that the package answers, from a manifest that its publisher signed. They are the
        /// package's own web site, where the pages are if the device does not answer. Put nothing else here: whatever
        /// answers under such an address is shown as the package.
        public var origins: [String]
        /// Why the package has no page on this device, for the page that says so; nil if it has one.
        public var absence: Absence?

        public init(isEnabled: Bool = true, origins: [String] = [], absence: Absence? = nil) {
            self.isEnabled = isEnabled
            self.origins = origins
            self.absence = absence
        }
    }

    /// Why a package has no page.
    public struct Absence: Hashable, Sendable {
        /// A sentence for people.
        public let why: String
        /// Whether only the network was missing, so that another try may succeed. The answer is then 504, otherwise
        /// 503.
        public let isUnreachable: Bool

        public init(why: String, isUnreachable: Bool = false) {
            self.why = why
            self.isUnreachable = isUnreachable
        }
    }

    /// The registered packages, installed or not.
    public var packages: [PackageID: Package]
    /// The custom schemes of the app's web views, in lower case.
    public var schemes: Set<String>
    public var rules: WebRules
    /// The services on this device, as `HOST:PORT`, that a package's own `api` may lead to, such as printers and card
    /// readers. The app lists them, because a publisher does not know what else listens there. Services in the app's
    /// own ``rules`` need no entry.
    public var loopbackServices: Set<String> = []

    public init(packages: [PackageID: Package] = [:], schemes: Set<String> = [], rules: WebRules = WebRules()) {
        self.packages = packages
        self.schemes = schemes
        self.rules = rules
    }
}
