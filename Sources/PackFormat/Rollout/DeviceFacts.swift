/// The facts that a rollout decision may use. They do not leave the device, except three in reports if the app says so
/// (`ReportSettings.includesFacts`).
public struct DeviceFacts: Hashable, Sendable {
    /// The random id of this installation of the app.
    public let deviceID: String
    /// The app's version as its store has it. If it is nil, the device passes over releases that require a version.
    public let appVersion: AppVersion?
    /// The platform, such as `ios` or `linux`.
    public let platform: String?
    public let tags: [String: String]
    /// The operating system's version.
    public let osVersion: AppVersion?
    /// The locale by BCP 47, such as `de-AT`.
    public let locale: String?
    /// The region by ISO 3166-1, such as `AT`.
    public let region: String?
    /// The device model, such as `iPhone14,2`.
    public let model: String?
    public let network: NetworkKind?
    /// The channel's groups that the device is in.
    public let groups: Set<String>
    /// Groups whose files this program cannot read, and why. No condition on them admits the device.
    public let unreadableGroups: [String: String]

    /// A fact that is nil is unknown, and the device passes over releases that ask for it.
    public init(
        deviceID: String, appVersion: AppVersion? = nil, platform: String? = nil, tags: [String: String] = [:],
        osVersion: AppVersion? = nil, locale: String? = nil, region: String? = nil, model: String? = nil,
        network: NetworkKind? = nil, groups: Set<String> = [], unreadableGroups: [String: String] = [:]
    ) {
        self.deviceID = deviceID
        self.appVersion = appVersion
        self.platform = platform
        self.tags = tags
        self.osVersion = osVersion
        self.locale = locale
        self.region = region
        self.model = model
        self.network = network
        self.groups = groups
        self.unreadableGroups = unreadableGroups
    }

    /// As if the device were in the groups that cannot be read, for what it has by one of them already.
    package var inUnreadableGroups: DeviceFacts {
        DeviceFacts(
            deviceID: deviceID, appVersion: appVersion, platform: platform, tags: tags, osVersion: osVersion,
            locale: locale, region: region, model: model, network: network,
            groups: groups.union(unreadableGroups.keys))
    }

    /// The same device in other groups.
    package func with(groups: Set<String>) -> DeviceFacts {
        DeviceFacts(
            deviceID: deviceID, appVersion: appVersion, platform: platform, tags: tags, osVersion: osVersion,
            locale: locale, region: region, model: model, network: network, groups: groups,
            unreadableGroups: unreadableGroups)
    }
}
