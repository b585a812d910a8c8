public import PackFormat

/// What an update did, package by package.
public struct UpdateReport: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        case upToDate(SemanticVersion?)
        /// In the store; active from the next start on.
        case staged(SemanticVersion)
        /// Active now. nil: nothing; a page installs what the channel offers, as it is needed.
        case activated(SemanticVersion?)
        /// Of a check, which changes nothing: an update would install this version.
        case wouldInstall(SemanticVersion)
        /// Of a check: an update would go back to what the app embeds. nil: nothing.
        case wouldGoBack(SemanticVersion?)
        /// The channel offers this device nothing, or its gate is off.
        case nothing
        /// What went wrong; what ran before still runs.
        case failed(String)
    }

    public struct Entry: Hashable, Sendable {
        public let package: PackageID
        public let outcome: Outcome
        /// Why, release by release.
        public let why: String
        /// False for a package that was asked for by name and that the channel does not have.
        public let isInChannel: Bool

        public init(package: PackageID, outcome: Outcome, why: String, isInChannel: Bool = true) {
            self.package = package
            self.outcome = outcome
            self.why = why
            self.isInChannel = isInChannel
        }
    }

    /// In the order of package ids.
    public let entries: [Entry]

    public init(entries: [Entry]) {
        self.entries = entries.sorted { $0.package < $1.package }
    }

    public var failures: [Entry] {
        entries.filter { if case .failed = $0.outcome { true } else { false } }
    }

    /// Whether something was changed; of a check, whether an update would.
    public var isChanged: Bool {
        entries.contains {
            switch $0.outcome {
            case .staged, .activated, .wouldInstall, .wouldGoBack: true
            default: false
            }
        }
    }
}

/// How one package stands on this device.
public struct PackageStatus: Hashable, Sendable {
    public struct Failure: Hashable, Sendable {
        public let version: SemanticVersion
        public let release: String?
        public let reason: String
    }

    public let package: PackageID
    /// The version whose pages are shown; nil: none; the next page installs one, as it is needed.
    public let active: SemanticVersion?
    public let isConfirmed: Bool
    /// The digest of the active version's manifest, which names its content.
    public let manifest: Digest?
    /// Starts of the active version that were not confirmed yet.
    public let unconfirmedStarts: Int
    /// The version to which the device goes back.
    public let previous: SemanticVersion?
    /// The version that becomes active at the next start.
    public let staged: SemanticVersion?
    public let embedded: SemanticVersion?
    public let failures: [Failure]
    public let isEnabled: Bool
    /// What the last check decided.
    public let decision: String

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
        decision = state.decision
    }
}

/// What a repair found and did.
public struct RepairReport: Hashable, Sendable {
    public let checkedObjects: Int
    /// What was fetched again or rebuilt, in words.
    public let repaired: [String]
    /// What is still damaged, and why.
    public let left: [String]
}
