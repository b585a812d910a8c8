/// The facts that a rollout decision may use. They never leave the device.
public struct DeviceFacts: Hashable, Sendable {
    /// The random id of this installation of the app.
    public let deviceID: String
    /// The app's version. If it is nil, the device passes over releases that require a version.
    public let appVersion: SemanticVersion?
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

    /// A fact that is nil is unknown, and the device passes over releases that ask for it.
    public init(
        deviceID: String, appVersion: SemanticVersion? = nil, platform: String? = nil, tags: [String: String] = [:],
        osVersion: AppVersion? = nil, locale: String? = nil, region: String? = nil, model: String? = nil,
        network: NetworkKind? = nil
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
    }

    var lenientAppVersion: AppVersion? { appVersion.flatMap { try? AppVersion($0.description) } }
}
