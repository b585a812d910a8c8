package import PackFormat

/// How many devices have a version and are alike.
package struct PresenceCount: Hashable, Sendable {
    /// Days for which a device counts after it said what it has: it says so once a week.
    package static let days = 8

    package let package: PackageID
    package let version: SemanticVersion
    package let facts: ReportFacts
    package let devices: Int

    package init(package: PackageID, version: SemanticVersion, facts: ReportFacts, devices: Int) {
        self.package = package
        self.version = version
        self.facts = facts
        self.devices = devices
    }
}
