/// How the requests of pages were answered during one run of an app. Counts and bytes only, no address.
public struct WebCounters: Hashable, Sendable {
    /// Requests that the device answered with its own files.
    public var local: Int
    /// Requests that went to the network.
    public var online: Int
    /// Requests that the device answered with an error.
    public var missed: Int
    /// The bytes of bodies that came from the device's own files.
    public var byteCount: Int

    public init(local: Int = 0, online: Int = 0, missed: Int = 0, byteCount: Int = 0) {
        self.local = local
        self.online = online
        self.missed = missed
        self.byteCount = byteCount
    }

    public var isEmpty: Bool { local == 0 && online == 0 && missed == 0 }

    public static func += (sum: inout WebCounters, more: WebCounters) {
        sum = WebCounters(
            local: sum.local.saturatingAdd(more.local), online: sum.online.saturatingAdd(more.online),
            missed: sum.missed.saturatingAdd(more.missed), byteCount: sum.byteCount.saturatingAdd(more.byteCount))
    }

    /// What was counted since an earlier moment.
    public static func - (now: WebCounters, then: WebCounters) -> WebCounters {
        WebCounters(
            local: now.local - then.local, online: now.online - then.online, missed: now.missed - then.missed,
            byteCount: now.byteCount - then.byteCount)
    }
}
