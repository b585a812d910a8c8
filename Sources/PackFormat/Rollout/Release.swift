/// One entry of a channel: a version, or the way back to the embedded version, offered under a rollout.
public struct Release: Hashable, Sendable {
    /// What an admitted device should run.
    public enum Offer: Hashable, Sendable {
        case version(SemanticVersion, manifest: Digest)
        /// The preset that the app was shipped with, or nothing if there is none.
        case embedded
    }

    /// The name of the release: 1 to 64 letters, digits, `-` and `_`. A new release of the same version has a new id.
    public let id: String
    public let offer: Offer
    public let rollout: Rollout
    /// How the devices that are admitted take it.
    public let policy: ClientPolicy
    /// The app versions that can run it (from the manifest's `requires`); nil for all.
    public let requiredApp: VersionRange?
    /// How often the publisher has asked devices to retry a version that failed on them.
    public let retry: Int
    /// The set that it belongs to; nil for none. A device installs all releases of a set or none (``ReleaseSets``).
    public let set: String?
    /// Fields of a newer registry that this program does not know. No device installs such a release.
    public let unknownFields: [String]

    /// - Throws: ``FormatError/invalidDocument(_:reason:)``
    public init(
        id: String, offer: Offer, rollout: Rollout = .everyone, policy: ClientPolicy = .standard,
        requiredApp: VersionRange? = nil, retry: Int = 0, set: String? = nil, unknownFields: [String] = []
    ) throws(FormatError) {
        guard Self.isName(id) else {
            throw .invalidDocument("a release", reason: "its id is not 1 to 64 letters, digits, - and _")
        }
        guard set.map(Self.isName) ?? true else {
            throw .invalidDocument("the release \(id)", reason: "its set is not 1 to 64 letters, digits, - and _")
        }
        guard retry >= 0 else { throw .invalidDocument("the release \(id)", reason: "its retry count is negative") }
        self.id = id
        self.offer = offer
        self.rollout = rollout
        self.policy = policy
        self.requiredApp = requiredApp
        self.retry = retry
        self.set = set
        self.unknownFields = unknownFields
    }

    /// Whether what was offered before it is of no use to any device. A release that devices wait for hides nothing: those
    /// that read format 1 never see it, and go by what is below.
    package var hidesEarlier: Bool { rollout.reachesEveryone && !policy.delays }

    /// The same release under another rollout or policy, or with another retry count.
    package func with(
        rollout: Rollout? = nil, policy: ClientPolicy? = nil, retry: Int? = nil
    ) throws(FormatError) -> Release {
        try Release(
            id: id, offer: offer, rollout: rollout ?? self.rollout, policy: policy ?? self.policy,
            requiredApp: requiredApp, retry: retry ?? self.retry, set: set, unknownFields: unknownFields)
    }

    public var version: SemanticVersion? {
        if case .version(let version, _) = offer { version } else { nil }
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
