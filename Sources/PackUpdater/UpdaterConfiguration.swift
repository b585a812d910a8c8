public import Foundation
public import PackFormat

/// What an app tells its updater.
public struct UpdaterConfiguration: Sendable {
    /// When a version that was downloaded becomes the active one.
    public enum Activation: Sendable {
        /// When the app starts next.
        case nextStart
        /// At once; open pages keep their version.
        case atOnce
    }

    /// The store's folder. Not a folder that the system backs up, or shows to the user.
    public var store: URL
    /// The address of the published view: `https://…`, or the folder of a registry.
    public var base: URL
    public var channel: ChannelName
    /// The `root.json` that the app embeds; nil where the store has one already.
    public var root: [UInt8]?
    /// The app's name in its registry: channel files of another one are refused. nil: that of the first channel file that
    /// the store takes, from then on.
    public var app: String?
    /// Folders that `packtool preset` wrote.
    public var presets: [URL] = []
    public var appVersion: SemanticVersion?
    /// Such as `ios`, `linux`.
    public var platform: String?
    public var tags: [String: String] = [:]
    /// The operating system's version, such as `17.4`.
    public var osVersion: AppVersion?
    /// The language of the app on this device, such as `de-AT` (BCP 47).
    public var locale: String?
    /// Where the device is, such as `AT` (ISO 3166-1).
    public var region: String?
    /// Such as `iPhone14,2`.
    public var model: String?
    /// Asked at each check: whether bytes cost the user something now.
    public var network: @Sendable () -> NetworkKind? = { nil }
    /// The id that rollouts divide devices by; nil for the store's own random one.
    public var deviceID: String?
    /// The starts that a version gets to be confirmed in.
    public var maximumUnconfirmedStarts = 2
    /// How long a version may run before it is confirmed, from its first start in a run of the app; nil: only the
    /// starts count. It belongs to the version and not to a load, so one that reloads itself for ever is left as well.
    public var readyDeadline: Duration?
    public var activation = Activation.nextStart
    /// How long an update waits for another one on the same store.
    public var patience = Duration.zero
    public var limits = TransferLimits()
    /// The clock. Read once per operation; only expiry of signed metadata depends on it.
    public var now: @Sendable () -> Date = { Date() }
    /// The time since some moment, by a clock that nobody sets and that stands still while the device sleeps: what the
    /// ready deadline is measured by.
    public var uptime: @Sendable () -> Duration = { origin.duration(to: .now) }

    private static let origin = SuspendingClock.now

    public init(store: URL, base: URL, channel: ChannelName, root: [UInt8]? = nil) {
        self.store = store
        self.base = base
        self.channel = channel
        self.root = root
    }
}

/// Which packages an update is about.
public enum PackageSelection: Hashable, Sendable {
    /// Every package of the channel.
    case all
    case list([PackageID])
    /// Those that somebody opened on this device before, and those that are installed.
    case onDemand
}
