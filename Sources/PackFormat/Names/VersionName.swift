/// A version of a package by the name that people use. In one registry it has one content for ever.
package struct VersionName: Hashable, Sendable, CustomStringConvertible {
    package let package: PackageID
    package let version: SemanticVersion

    package init(_ package: PackageID, _ version: SemanticVersion) {
        self.package = package
        self.version = version
    }

    /// Such as `shop 1.2.0`.
    package var description: String { "\(package) \(version)" }
}
