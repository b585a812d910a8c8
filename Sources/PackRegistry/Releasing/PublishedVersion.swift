package import PackFormat

/// A version in a registry, as the rules see it.
package struct PublishedVersion: Hashable, Sendable {
    package let package: PackageID
    package let version: SemanticVersion
    package let manifest: Digest
    /// False for a shared bundle, which is not released.
    package let hasEntry: Bool
    package let requiredApp: VersionRange?
    /// The reason, where the publisher withdrew it.
    package let withdrawn: String?

    package init(
        package: PackageID, version: SemanticVersion, manifest: Digest, hasEntry: Bool = true,
        requiredApp: VersionRange? = nil, withdrawn: String? = nil
    ) {
        self.package = package
        self.version = version
        self.manifest = manifest
        self.hasEntry = hasEntry
        self.requiredApp = requiredApp
        self.withdrawn = withdrawn
    }
}
