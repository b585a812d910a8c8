import PackFormat

/// The one question of `/v1/update` and of every adapter: which version of a package should a device have?
struct UpdateQuery: Sendable {
    let channel: ChannelName
    let package: PackageID
    /// What the client says of its device. The channel knows the groups.
    let device: DeviceFacts
    /// The version that the device runs; nil: none of the registry's.
    let current: String?
    /// Whether the app runs every version, whatever app the version requires. Audiences are judged as always.
    var runsAnyVersion = false
}
