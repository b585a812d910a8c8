package import PackFormat
package import PackRegistryAPI

/// Changes what a channel tells its devices beside releases. The channel's signed file is where it stands.
package struct ChannelSettingChange: RegistryChange {
    private let setting: ChannelSetting
    private let channel: ChannelName

    package init(_ setting: ChannelSetting, on channel: ChannelName) {
        self.setting = setting
        self.channel = channel
    }

    package var query: FactsQuery {
        var query = FactsQuery()
        query.channelFile = channel
        if case .group = setting {
            // Of whichever package: its audience says whether it is for the group.
            var rollouts = FactsQuery.Rollouts(of: Set<PackageID>?.none, on: channel)
            rollouts.isOpen = true
            query.rollouts = rollouts
        }
        return query
    }

    package func decide(_ facts: RegistryFacts, into changes: inout ChangeSet) throws -> SettingOutcome {
        guard let file = facts.channelFiles[channel] else {
            throw RegistryError(
                .notFound,
                "there is no channel \(channel) (there is: \(RegistryError.list(facts.channelNames)))")
        }
        let changed = try changed(file)
        guard changed != file else { return SettingOutcome(isChanged: false, settings: ChannelSettings(file)) }
        if case .group(let group) = setting { try HaltGuard.require(group, in: file, facts) }
        try ApprovalRequirement.require(.setting(setting), on: channel, facts, changes)
        changes.channelFiles.append(changed)
        switch setting {
        case .group(let group):
            changes.groups.append(ChangeSet.GroupDocument(channel: channel, name: group.name, bytes: group.bytes))
        case .removeGroup(let name):
            changes.groups.append(ChangeSet.GroupDocument(channel: channel, name: name, bytes: nil))
        default: break
        }
        changes.log(setting.auditName, setting.auditSubject(channel), setting.auditDetail)
        changes.signs = true
        return SettingOutcome(isChanged: true, settings: ChannelSettings(changed))
    }

    private func changed(_ file: ChannelFile) throws -> ChannelFile {
        switch setting {
        case .gate(let package, let isOn):
            guard file.packages[package] != nil else {
                throw RegistryError(
                    .notFound,
                    "\(channel) never offered anything of \(package) "
                        + "(it has: \(RegistryError.list(file.packages.keys.sorted())))")
            }
            return file.with(gate: isOn, of: package)
        case .poll(let poll): return file.with(poll: poll)
        case .rules(let rules):
            do { return try file.with(rules: rules) } catch { throw RegistryError(.invalid, "\(error)") }
        case .group(let group):
            do { return try file.with(group) } catch { throw RegistryError(.invalid, "\(error)") }
        case .removeGroup(let name):
            guard file.groups[name] != nil else {
                throw RegistryError(
                    .notFound,
                    "\(channel) has no group \"\(name)\" (it has: \(RegistryError.list(file.groups.keys.sorted())))")
            }
            let users = file.packages.filter { file.groups(namedBy: [$0.value]).contains(name) }.keys.sorted()
            guard users.isEmpty else {
                throw RegistryError(
                    .conflict,
                    "releases of \(RegistryError.list(users)) on \(channel) are for the group \"\(name)\": change their audience "
                        + "first (packtool rollout)")
            }
            return file.without(group: name)
        }
    }
}

extension RegistryError {
    /// Names that an error lists.
    static func list(_ names: [some CustomStringConvertible]) -> String {
        guard !names.isEmpty else { return "none yet" }
        let shown = names.prefix(50).map(\.description).joined(separator: ", ")
        return names.count > 50 ? "\(shown), and \(names.count - 50) more" : shown
    }
}

extension ChannelSetting {
    fileprivate var auditName: String {
        switch self {
        case .gate: "gate"
        case .poll: "poll"
        case .rules: "rules"
        case .group, .removeGroup: "group"
        }
    }

    fileprivate func auditSubject(_ channel: ChannelName) -> String {
        switch self {
        case .gate(let package, _): "\(package) on \(channel)"
        case .group(let group): "\(group.name) of \(channel)"
        case .removeGroup(let name): "\(name) of \(channel)"
        case .poll, .rules: channel.text
        }
    }

    fileprivate var auditDetail: String {
        switch self {
        case .gate(_, let isOn): isOn ? "on" : "off"
        case .poll(let poll): poll?.text ?? "as the apps have it"
        case .group(let group): CountText.text(group.devices.count, "device")
        case .removeGroup: "removed"
        case .rules(let rules): rules.map { CountText.text($0.rules.count, "rule") } ?? "none"
        }
    }
}
