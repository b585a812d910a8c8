public import PackFormat

/// The result of an update, package by package.
public struct UpdateReport: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        case upToDate(SemanticVersion?)
        /// The version is in the store and becomes active at the next start.
        case staged(SemanticVersion)
        /// The version is active now. Nil: no version is; a page installs the offered one while it is used.
        case activated(SemanticVersion?)
        /// Result of a check, which changes nothing: an update would install this version.
        case wouldInstall(SemanticVersion)
        /// Result of a check: an update would go back to the embedded version. Nil: the app embeds none.
        case wouldGoBack(SemanticVersion?)
        /// The channel offers this version, and the policy of its release makes the device wait, and for what.
        case waiting(SemanticVersion, for: String)
        /// The channel offers this device nothing, or its feature gate is off.
        case nothing
        /// The update of the package failed, and why; what ran before still runs.
        case failed(String)
    }

    public struct Entry: Hashable, Sendable {
        public let package: PackageID
        public let outcome: Outcome
        /// The reason, release by release.
        public let why: String
        /// False if the package was requested by name and the channel does not have it.
        public let isInChannel: Bool
        /// The publisher says that the app should not go on without this version, or without one that the device skips.
        public let isMandatory: Bool
        /// The page on view should be shown again, because the version is active and is to be seen at once.
        public let isShownAtOnce: Bool

        public init(
            package: PackageID, outcome: Outcome, why: String, isInChannel: Bool = true, isMandatory: Bool = false,
            isShownAtOnce: Bool = false
        ) {
            self.package = package
            self.outcome = outcome
            self.why = why
            self.isInChannel = isInChannel
            self.isMandatory = isMandatory
            self.isShownAtOnce = isShownAtOnce
        }
    }

    /// How the files of a version came.
    public struct Transfer: Hashable, Sendable {
        public enum Way: String, Hashable, Sendable {
            /// By the difference to a version that was here.
            case patch
            /// By the full download.
            case full
            /// By single files.
            case objects
        }

        /// A package, or a shared bundle that came with packages.
        public let package: PackageID
        public let version: SemanticVersion
        public let way: Way
        /// What was transferred, in bytes, with the manifest, and with what was fetched in vain.
        public let byteCount: Int
        /// All of the version's own files, in bytes.
        public let size: Int
    }

    /// The entries in the order of package ids.
    public let entries: [Entry]
    /// What came over the network, in the order of package ids. A version of which all files were here is not in it.
    public let transfers: [Transfer]
    /// The server had too much to do, and a package could not be fetched.
    public let overload: Overload?

    public struct Overload: Hashable, Sendable {
        /// When the server wants to be asked again; nil if it does not say.
        public let retryAfter: Duration?

        public init(retryAfter: Duration?) {
            self.retryAfter = retryAfter
        }
    }

    public init(entries: [Entry], transfers: [Transfer] = [], overload: Overload? = nil) {
        self.entries = entries.sorted { $0.package < $1.package }
        self.transfers = transfers
        self.overload = overload
    }

    public var failures: [Entry] {
        entries.filter { if case .failed = $0.outcome { true } else { false } }
    }

    /// Whether something has changed; for a check, whether an update would change something.
    public var isChanged: Bool {
        entries.contains {
            switch $0.outcome {
            case .staged, .activated, .wouldInstall, .wouldGoBack: true
            default: false
            }
        }
    }
}

/// The state of one package on this device.
public struct PackageStatus: Hashable, Sendable {
    public struct Failure: Hashable, Sendable {
        public let version: SemanticVersion
        public let release: String?
        public let reason: String
    }

    public let package: PackageID
    /// The version whose pages are shown. Nil: none; the next page installs one while it is used.
    public let active: SemanticVersion?
    public let isConfirmed: Bool
    /// The digest of the active version's manifest, which names its content.
    public let manifest: Digest?
    /// The starts of the active version, if it is not confirmed.
    public let unconfirmedStarts: Int
    /// The version to which the device goes back.
    public let previous: SemanticVersion?
    /// The version that becomes active at the next start.
    public let staged: SemanticVersion?
    public let embedded: SemanticVersion?
    public let failures: [Failure]
    public let isEnabled: Bool
    /// The gate is on, and ``isEnabled`` is false until the device has its version of this set, which other packages run.
    public let awaitedSet: String?
    /// The decision of the last check.
    public let decision: String
    /// What the device waits for before it installs what the channel offers; nil: for nothing.
    public let waitsFor: String?

    init(package: PackageID, state: PackageState) {
        self.package = package
        active = state.active?.id.version
        isConfirmed = state.active?.isConfirmed ?? false
        manifest = state.active?.id.manifest
        unconfirmedStarts = state.active?.starts ?? 0
        previous = state.previous?.id.version
        if case .version(let installed) = state.staged { staged = installed.id.version } else { staged = nil }
        embedded = state.embedded?.id.version
        failures = state.failures.map {
            Failure(version: $0.id.version, release: $0.release?.id, reason: $0.reason)
        }
        isEnabled = state.isEnabled
        awaitedSet = state.awaitedSet
        decision = state.decision
        waitsFor = state.delay
    }
}

/// What a repair found and repaired.
public struct RepairReport: Hashable, Sendable {
    public let checkedObjects: Int
    /// The objects and trees that were fetched or made again, in words.
    public let repaired: [String]
    /// The damage that remains, and why.
    public let left: [String]
}
