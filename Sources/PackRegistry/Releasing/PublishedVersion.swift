package import Foundation
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
    /// When its files were removed to save space; nil: they are there.
    package let pruned: Date?

    package init(
        package: PackageID, version: SemanticVersion, manifest: Digest, hasEntry: Bool = true,
        requiredApp: VersionRange? = nil, withdrawn: String? = nil, state: Manifest.State? = nil,
        pruned: Date? = nil
    ) {
        self.package = package
        self.version = version
        self.manifest = manifest
        self.hasEntry = hasEntry
        self.requiredApp = requiredApp
        self.withdrawn = withdrawn
        self.state = state
        self.pruned = pruned
    }

    /// With the files that it lost.
    package var restored: PublishedVersion {
        PublishedVersion(
            package: package, version: version, manifest: manifest, hasEntry: hasEntry, requiredApp: requiredApp,
            withdrawn: withdrawn, state: state)
    }

    package var offer: Release.Offer { .version(version, manifest: manifest) }
}
