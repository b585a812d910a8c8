package import PackFormat

/// What a proposed change does to its channel.
package enum ProposedAction: Hashable, Sendable {
    /// Changes what the channel offers for a package.
    case release(ChannelChange, of: PackageID)
    /// Offers several packages as one.
    case set(ReleaseSet)
    /// Changes what the channel tells its devices beside releases.
    case setting(ChannelSetting)
    /// Puts a plan on a release, or says something to its rollout.
    case rollout(RolloutRequest, of: PackageID)
    /// Sets how many people besides the proposer must approve a change of the channel. 0: none.
    case approvals(Int)

    /// The most approvals that a channel may require.
    package static let maximumApprovals = 20

    /// The packages that it names. The others of a set follow from what the channel offers.
    package var packages: [PackageID] {
        switch self {
        case .release(_, let package), .rollout(_, let package), .setting(.gate(let package, _)): [package]
        case .set(let set): set.versions.keys.sorted()
        case .setting, .approvals: []
        }
    }

    /// Such as `offer shop 1.4.0 to 10 %`, for lists and the audit log.
    package var summary: String {
        switch self {
        case .release(let change, let package): change.summary(package)
        case .set(let set):
            "offer " + set.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
                + " as one" + (set.rollout.map { " to \($0.text)" } ?? "")
        case .setting(let setting): setting.summary
        case .rollout(let request, let package):
            "rollout \(request.verb.name) of \(package)\(request.version.map { " \($0)" } ?? "")"
        case .approvals(let count): "require \(count) approval\(count == 1 ? "" : "s") of a change"
        }
    }
}

extension ChannelChange {
    fileprivate func summary(_ package: PackageID) -> String {
        func name(_ version: SemanticVersion?) -> String { "\(package)\(version.map { " \($0)" } ?? "")" }
        return switch self {
        case .offer(let version, let rollout, _, _):
            "offer \(name(version))" + (rollout.map { " to \($0.text)" } ?? "")
        case .promote(let version, let source, let rollout, _, _):
            "promote \(name(version)) from \(source) to \(rollout.text)"
        case .setRollout(let share, let audiences, let policy, let version):
            "change who gets \(name(version))"
                + (share.map { ", to \($0)" } ?? "")
                + (audiences.map { ", for \($0.isEmpty ? "all" : $0.map(\.description).joined(separator: " or "))" }
                    ?? "")
                + (policy.map { ", \($0 == .standard ? "without a policy" : $0.text)" } ?? "")
        case .rollBack(let version): "roll \(package) back" + (version.map { " to \($0)" } ?? "")
        case .rollBackToEmbedded: "roll \(package) back to what the app embeds"
        case .accepting(let consent, let change):
            change.summary(package) + (consent.contains(.again) ? " once more" : "")
                + (consent.contains(.state) ? ", whatever data devices stored" : "")
        case .retry(let version): "let devices try \(name(version)) again"
        }
    }
}

extension ChannelSetting {
    fileprivate var summary: String {
        switch self {
        case .gate(let package, let isOn): "switch the gate of \(package) \(isOn ? "on" : "off")"
        case .poll(let poll):
            poll.map { "let devices look \($0.text)" }
                ?? "let devices look as often as their apps have it"
        case .rules(let rules):
            rules.map { "give devices \(CountText.text($0.rules.count, "web rule"))" } ?? "take the web rules back"
        case .group(let group): "set the group \(group.name) of \(CountText.text(group.devices.count, "device"))"
        case .removeGroup(let name): "remove the group \(name)"
        }
    }
}
