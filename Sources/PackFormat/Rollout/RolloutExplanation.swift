/// Why a device gets what it gets of one package: every release, every condition, and the value that was seen.
///
/// The server, the command line and the device print the same text and the same JSON from it. It follows from
/// ``RolloutDecision``; nothing is decided here.
public struct RolloutExplanation: Hashable, Sendable {
    /// One thing that a release asks of the device.
    public struct Check: Hashable, Sendable {
        /// As an audience says it, such as `platform=ios`.
        public let condition: String
        public let isMet: Bool
        /// What the device is; "not known" if nobody said.
        public let seen: String
        /// Counts the audiences of the release from 1; nil for what holds whichever audience admits the device.
        public let audience: Int?
    }

    public enum Outcome: String, Hashable, Sendable {
        case selected
        case skipped
        /// A newer release was selected, so it does not matter.
        case notNeeded
    }

    public struct Entry: Hashable, Sendable {
        public let release: Release
        public let outcome: Outcome
        /// A sentence, as ``RolloutDecision/Reason`` gives it.
        public let reason: String
        public let checks: [Check]
        /// The release's policy, part by part; empty if it has none.
        public let terms: [Term]
        /// Where the release's plan is; nil if it has none, or if it is not known here.
        public let plan: PlanProgress?
    }

    /// What puts off the installation of the release that the device takes.
    public enum Wait: Hashable, Sendable {
        case nothing
        /// Such as `it waits for an unmetered network`, as the device found at its last check.
        case known(String)
        /// Nobody asked the device: its clock and what it has are not known.
        case unknown
    }

    /// The note for a package of a large channel that a device does not have.
    package static let unread =
        "the last check did not read what the channel offers of it, because it is not on this device"

    public let package: PackageID
    public let channel: ChannelName
    /// Newest first.
    public let entries: [Entry]
    /// The release that the device takes; nil if none admits it.
    public let release: Release?
    /// The end of the summary.
    let wait: String?
    /// What holds for the package whatever its releases say, such as a feature gate that is off.
    public let notes: [String]

    /// - Parameters:
    ///   - device: With an empty id, a share below 100 % is taken as one that the device is not in.
    ///   - refusals: Why the device itself refuses a release, such as a version that failed on it, by the release's id.
    ///   - plans: Where the plans of releases are, by the releases' ids. Only a registry knows them.
    ///   - taking: What is known of how the device takes releases.
    ///   - notes: What else the device, or whoever asks, knows.
    ///   - wait: What the device waits for with the release that it takes.
    public init(
        _ package: PackageID, in channel: ChannelFile, for device: DeviceFacts, refusals: [String: String] = [:],
        plans: [String: PlanProgress] = [:], taking: Taking = Taking(), notes: [String] = [], wait: Wait = .unknown
    ) {
        let content = channel.packages[package]
        var notes = notes
        if content?.isEnabled == false { notes.append("the feature gate of the package is off on this channel") }
        if content == nil, !notes.contains(Self.unread) { notes.append("the channel does not have the package") }
        let sets = ReleaseSets(of: channel)
        var refusedSets = sets.refusals(app: channel.app, device)
        for set in sets.ids where refusedSets[set] == nil {
            // A version that failed here keeps the whole set away.
            for (member, release) in sets.members(of: set).sorted(by: { $0.key < $1.key }) {
                guard let refusal = refusals[release.id] else { continue }
                refusedSets[set] = "\(member): \(refusal)"
                break
            }
        }
        var selected: Release?
        var entries: [Entry] = []
        for release in content?.releases ?? [] {
            let decision = RolloutDecision(
                app: channel.app, package: package, releases: [release], device: device, refusedSets: refusedSets)
            var reason = decision.steps.first?.reason.description ?? ""
            var isAdmitted = decision.release != nil
            if isAdmitted, device.deviceID.isEmpty, release.rollout.share != .whole {
                (isAdmitted, reason) = (
                    false, "whether the device is in the \(release.rollout.share) depends on its id"
                )
            } else if isAdmitted, let refusal = refusals[release.id] {
                (isAdmitted, reason) = (false, refusal)
            }
            let outcome: Outcome = selected != nil ? .notNeeded : isAdmitted ? .selected : .skipped
            if outcome == .selected { selected = release }
            entries.append(
                Entry(
                    release: release, outcome: outcome,
                    reason: outcome == .notNeeded ? "a newer release is selected" : reason,
                    checks: Self.checks(of: release, package, app: channel.app, device, refusedSets),
                    terms: Self.terms(
                        of: release, in: content ?? ChannelFile.Package(releases: []), app: channel.app, package,
                        device,
                        taking), plan: plans[release.id]))
        }
        self.package = package
        self.channel = channel.channel
        self.entries = entries
        self.notes = notes
        release = selected
        switch wait {
        case .nothing: self.wait = nil
        case .known(let reason): self.wait = ", but not yet: \(reason)"
        case .unknown:
            let policy =
                selected.map {
                    RolloutDecision.terms(
                        of: $0, in: content ?? ChannelFile.Package(releases: []), app: channel.app, package: package,
                        device: device,
                        running: taking.running
                    ).policy
                } ?? .standard
            let isMet = policy.window == nil && device.network == .unmetered
            self.wait = policy.delays && !isMet ? ", when the release's policy lets it (\(policy.text))" : nil
        }
    }

    private static func checks(
        of release: Release, _ package: PackageID, app: String, _ device: DeviceFacts, _ refusedSets: [String: String]
    ) -> [Check] {
        var checks: [Check] = release.unknownFields.map {
            Check(condition: $0, isMet: false, seen: "this program does not know it", audience: nil)
        }
        if let range = release.requiredApp {
            let version = device.appVersion
            checks.append(
                Check(
                    condition: "requires app \(range)", isMet: version.map { range.contains($0) } ?? false,
                    seen: version?.description ?? "not known", audience: nil))
        }
        for (index, audience) in release.rollout.audiences.enumerated() {
            for condition in audience.conditions {
                checks.append(
                    Check(
                        condition: condition.audienceText, isMet: condition.refusal(of: device) == nil,
                        seen: condition.seen(on: device), audience: index + 1))
            }
        }
        let bucket = RolloutDecision.bucket(
            app: app, package: package, release: release.id, set: release.set, device: device.deviceID)
        let place = bucket.multipliedFullWidth(by: 10_000).high
        let share = release.rollout.share
        checks.append(
            Check(
                condition: "share \(share)",
                isMet: share.contains(bucket: bucket) && (!device.deviceID.isEmpty || share == .whole),
                seen: device.deviceID.isEmpty
                    ? "no device is given"
                    : "the device is at \((try? Share(tenThousandths: Int(place)).description) ?? "")",
                audience: nil))
        if let set = release.set {
            let refusal = refusedSets[set]
            checks.append(
                Check(
                    condition: "the whole set \(set)", isMet: refusal == nil,
                    seen: refusal ?? "all of its packages admit the device", audience: nil))
        }
        return checks
    }
}
