package import PackFormat

/// One change to what a channel tells its devices beside releases.
package enum ChannelSetting: Hashable, Sendable {
    /// Off: devices load the package's pages online, from its first origin.
    case gate(PackageID, isOn: Bool)
    /// How often devices look. Nil: as the apps have it.
    case poll(ChannelPoll?)
    /// What pages load from the device, from the network, or not at all. Nil: as the apps have it.
    case rules(WebRules?)
    /// A group of devices that conditions may name, in the place of one of its name.
    case group(DeviceGroup)
    case removeGroup(String)
}

/// What a channel tells its devices beside releases.
package struct ChannelSettings: Hashable, Sendable {
    /// The packages whose gate is off.
    package let gatesOff: [PackageID]
    package let poll: ChannelPoll?
    package let rules: WebRules?
    /// The number of devices of each group.
    package let groups: [String: Int]

    package init(
        gatesOff: [PackageID] = [], poll: ChannelPoll? = nil, rules: WebRules? = nil, groups: [String: Int] = [:]
    ) {
        self.groups = groups
        self.gatesOff = gatesOff
        self.poll = poll
        self.rules = rules
    }

    package init(_ file: ChannelFile) {
        self.init(
            gatesOff: file.packages.filter { !$0.value.isEnabled }.keys.sorted(), poll: file.poll, rules: file.rules,
            groups: file.groups.mapValues(\.deviceCount))
    }

    package var isEmpty: Bool { self == ChannelSettings() }
}

package struct SettingOutcome: Hashable, Sendable {
    /// False if the channel said just this before.
    package let isChanged: Bool
    package let settings: ChannelSettings

    package init(isChanged: Bool, settings: ChannelSettings) {
        self.isChanged = isChanged
        self.settings = settings
    }
}
