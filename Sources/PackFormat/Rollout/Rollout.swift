/// Who gets a release: a share of the devices that are in one of its audiences.
public struct Rollout: Hashable, Sendable {
    public static let everyone = Rollout()

    public let share: Share
    /// The audiences, one of which must admit the device. If there are none, every device may be admitted.
    public let audiences: [Audience]

    public init(share: Share = .whole, audiences: [Audience] = []) {
        self.share = share
        self.audiences = audiences
    }

    /// - Throws: ``FormatError/invalidShare(_:)``
    public init(percent: Int) throws(FormatError) {
        self.init(share: try Share(percent: percent))
    }

    /// Whether every device is admitted. Only such a release hides the releases before it.
    public var reachesEveryone: Bool { share == .whole && audiences.isEmpty }

    /// Whether no device is admitted.
    public var reachesNobody: Bool { share == .none }

    /// The names of the groups that the audiences ask for.
    package var groups: Set<String> {
        var names: Set<String> = []
        for case .group(let named) in audiences.flatMap(\.conditions) { names.formUnion(named) }
        return names
    }

    /// Whether a device is admitted, and why or why not.
    func admission(of device: DeviceFacts, bucket: UInt64) -> RolloutDecision.Reason {
        var refusals: [String] = []
        var isInAudience = audiences.isEmpty
        for audience in audiences where !isInAudience {
            if let refusal = audience.refusal(of: device) { refusals.append(refusal) } else { isInAudience = true }
        }
        guard isInAudience else { return .outsideAudience(refusals) }
        return share.contains(bucket: bucket) ? .admitted(share) : .outsideShare(share)
    }
}
