/// What a rollout decision may look at. Nothing of it leaves the device.
public struct DeviceFacts: Hashable, Sendable {
    /// The random id of this installation of the app.
    public let deviceID: String
    /// The app's version; nil where the host does not say, and then a release that requires one is not taken.
    public let appVersion: SemanticVersion?
    /// Such as `ios`, `linux`.
    public let platform: String?
    public let tags: [String: String]

    public init(
        deviceID: String, appVersion: SemanticVersion? = nil, platform: String? = nil, tags: [String: String] = [:]
    ) {
        self.deviceID = deviceID
        self.appVersion = appVersion
        self.platform = platform
        self.tags = tags
    }
}
