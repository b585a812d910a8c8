public import PackFormat

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The settings that an app gives its updater.
public struct UpdaterConfiguration: Sendable {
    /// When a downloaded version becomes active, unless the policy of its release says so.
    public enum Activation: Sendable {
        /// At the next start of the app.
        case nextStart
        /// At once; open pages keep their version.
        case atOnce
    }

    /// The store's folder. Do not choose a folder that the system backs up or shows to the user.
    public var store: URL
    /// The address of the published view: `https://…`, or the folder of a registry.
    public var base: URL
    public var channel: ChannelName
    /// The `root.json` that the app embeds; nil if the store has one already.
    public var root: [UInt8]?
    /// The app's name in its registry. Channel files of another app are refused. Nil: the name in the first channel
    /// file that the store accepts.
    public var app: String?
    /// The folders that `packtool preset` wrote.
    public var presets: [URL] = []
    /// The app's version as its store has it, such as `3.2.0` or `2024.3.1 (17)`.
    public var appVersion: AppVersion?
    /// The platform, such as `ios` or `linux`.
    public var platform: String?
    public var tags: [String: String] = [:]
    /// The operating system's version, such as `17.4`.
    public var osVersion: AppVersion?
    /// The language of the app on this device, such as `de-AT` (BCP 47).
    public var locale: String?
    /// Where the device is, such as `AT` (ISO 3166-1).
    public var region: String?
    /// The device model, such as `iPhone14,2`.
    public var model: String?
    /// How the registry is reached.
    let reach: UpdaterNetwork
    /// Returns whether the user pays for transferred bytes now. It is called at each check.
    public var network: @Sendable () -> NetworkKind? = { nil }
    /// The id that rollouts divide devices by; nil for the store's own random one.
    public var deviceID: String?
    /// How many starts a version has to get confirmed.
    public var maximumUnconfirmedStarts = 2
    /// How long a version may run before it is confirmed, from its first start in a run of the app. Nil: only starts
    /// count. The deadline belongs to the version and not to a load, so a version that reloads itself for ever is
    /// left too.
    public var readyDeadline: Duration?
    public var activation = Activation.nextStart
    /// How long an update waits for another one on the same store.
    public var patience = Duration.zero
    public var limits = TransferLimits()
    /// Nil: nothing is reported.
    public var reports: ReportSettings?
    /// The clock. Read once per operation; the expiry of signed metadata depends on it, and the local hours of a release.
    public var now: @Sendable () -> Date = { Date() }
    /// The device's time zone, for the local hours of a release.
    public var timeZone: @Sendable () -> TimeZone = { .autoupdatingCurrent }
    /// The time since some moment, by a clock that nobody can set and that stops while the device sleeps. The ready
    /// deadline is measured by it.
    public var uptime: @Sendable () -> Duration = { origin.duration(to: .now) }

    private static let origin = SuspendingClock.now

    /// `PackUpdaterOnline` has the one that uses URLSession.
    /// - Parameter reach: How the registry is reached.
    public init(store: URL, base: URL, channel: ChannelName, root: [UInt8]? = nil, reach: UpdaterNetwork) {
        self.reach = reach
        self.store = store
        self.base = base
        self.channel = channel
        self.root = root
    }
}

/// The packages that an update is for.
public enum PackageSelection: Hashable, Sendable {
    /// Every package of the channel.
    case all
    case list([PackageID])
    /// The packages that were opened on this device before, and the installed ones.
    case onDemand
}
