/// What a rollout decision may look at. Nothing of it leaves the device.
public struct DeviceFacts: Hashable, Sendable {
    /// The random id of this installation of the app.
    public let deviceID: String
    /// The app's version; nil where the host does not say, and then a release that requires one is not taken.
    public let appVersion: SemanticVersion?
    /// Such as `ios`, `linux`.
    public let platform: String?
    public let tags: [String: String]
    /// The operating system's version.
    public let osVersion: AppVersion?
    /// BCP 47, such as `de-AT`.
    public let locale: String?
    /// ISO 3166-1, such as `AT`.
    public let region: String?
    /// Such as `iPhone14,2`.
    public let model: String?
    public let network: NetworkKind?

    /// What is nil is not known, and a release that asks for it is not taken.
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
