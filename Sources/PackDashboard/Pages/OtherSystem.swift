/// Another system whose clients the server answers, and what they do of what our updater does.
package struct OtherSystem: Hashable, Sendable {
    /// Such as `Capgo`.
    package let name: String
    /// Whether they say which device they are on, so that shares, groups and audiences divide them.
    package let namesDevices: Bool
    /// Whether they report what became of a version, so that gates of rollouts see them.
    package let reports: Bool
    /// Whether they follow a channel back to the pages that the app brought.
    package let returnsToApp: Bool

    package init(name: String, namesDevices: Bool, reports: Bool, returnsToApp: Bool) {
        self.name = name
        self.namesDevices = namesDevices
        self.reports = reports
        self.returnsToApp = returnsToApp
    }
}
