package import PackFormat

/// A version in a registry, as the rules need it.
package struct PublishedVersion: Hashable, Sendable {
    package let package: PackageID
    package let version: SemanticVersion
    package let manifest: Digest
    /// False for a shared bundle, which is not released.
    package let hasEntry: Bool
    package let requiredApp: VersionRange?
    /// The publisher's reason for withdrawing the version; nil if it is not withdrawn.
    package let withdrawn: String?
    /// What its pages store, and can read; nil if it does not say.
    package let state: Manifest.State?

    package init(
        package: PackageID, version: SemanticVersion, manifest: Digest, hasEntry: Bool = true,
        requiredApp: VersionRange? = nil, withdrawn: String? = nil, state: Manifest.State? = nil
    ) {
        self.package = package
        self.version = version
        self.manifest = manifest
        self.hasEntry = hasEntry
        self.requiredApp = requiredApp
        self.withdrawn = withdrawn
        self.state = state
    }

    package var offer: Release.Offer { .version(version, manifest: manifest) }
}
