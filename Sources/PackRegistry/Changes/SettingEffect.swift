import PackFormat
import PackJSON
import PackRegistryAPI

/// What a change of a channel's settings does, for who approves it: all of what it sets, in place of what.
enum SettingEffect {
    /// - Parameter file: the channel before the change.
    static func lines(_ setting: ChannelSetting, on channel: ChannelName, _ file: ChannelFile?) -> [String] {
        switch setting {
        case .gate(let package, let isOn):
            let before = file?.packages[package]?.isEnabled ?? true
            return ["\(channel): the gate of \(package) is \(word(isOn)) in place of \(word(before))"]
        case .poll(let poll):
            return ["\(channel): devices look \(text(poll)) (before: \(text(file?.poll)))"]
        case .rules(let rules):
            return ["\(channel): \(count(rules)) in place of \(count(file?.rules))"] + list(rules, "")
                + list(file?.rules, "before, ")
        case .group(let group):
            let before = file?.groups[group.name]?.deviceCount
            return [
                "\(channel): the group \(group.name) has \(CountText.text(group.devices.count, "device")) in place of "
                    + (before.map { CountText.number($0) } ?? "none")
            ] + (file.map { users(of: group.name, in: $0) } ?? [])
        case .removeGroup(let name):
            let before = file?.groups[name]?.deviceCount ?? 0
            return ["\(channel): the group \(name) of \(CountText.text(before, "device")) is removed"]
        }
    }

    /// A line for each release that is for a group: its devices change with it.
    private static func users(of group: String, in file: ChannelFile) -> [String] {
        file.releases(for: group).map { package, release in
            let name = "\(package) \(ReleaseHistory.name(release.offer))"
            return
                "\(name) is for \(release.rollout.devicesText): devices that come into the group get it, and those that are no "
                + "longer in it leave it"
        }
    }

    private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    private static func text(_ poll: ChannelPoll?) -> String {
        poll?.text ?? "as often as their apps have it"
    }

    private static func count(_ rules: WebRules?) -> String {
        rules.map { CountText.text($0.rules.count, "web rule") } ?? "no web rules"
    }

    private static func list(_ rules: WebRules?, _ prefix: String) -> [String] {
        guard let rules, case .array(let list)? = rules.json["rules"] else { return [] }
        return list.enumerated().map { "\(prefix)rule \($0 + 1): \($1.compactText)" }
    }
}

extension ReleaseHistory {
    /// Releases as ``list(_:)`` has them, also with how devices take them.
    static func details(_ releases: [Release]) -> String {
        guard !releases.isEmpty else { return list(releases) }
        return releases.map { release in
            list([release]) + (release.policy == .standard ? "" : " [\(release.policy.text)]")
                + (release.retry == 0 ? "" : " [retried \(CountText.text(release.retry, "time"))]")
        }.joined(separator: ", ")
    }
}
