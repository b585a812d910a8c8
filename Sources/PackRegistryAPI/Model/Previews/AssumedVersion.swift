package import PackFormat

/// A version that is not published yet, as far as an offer depends on it: what `packtool publish --dry-run` asks about is
/// published only by the command without the option.
package struct AssumedVersion: Hashable, Sendable {
    package let package: PackageID
    package let version: SemanticVersion
    package let manifest: Digest
    /// False for a shared bundle.
    package let hasEntry: Bool
    package let requiredApp: VersionRange?
    package let state: Manifest.State?

    package init(
        package: PackageID, version: SemanticVersion, manifest: Digest, hasEntry: Bool, requiredApp: VersionRange?,
        state: Manifest.State? = nil
    ) {
        self.package = package
        self.version = version
        self.manifest = manifest
        self.hasEntry = hasEntry
        self.requiredApp = requiredApp
        self.state = state
    }

    package init(_ manifest: Manifest) {
        self.init(
            package: manifest.package, version: manifest.version, manifest: manifest.digest,
            hasEntry: manifest.entry != nil, requiredApp: manifest.requiredApp,
            state: manifest.state)
    }
}
