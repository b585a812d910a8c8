/// The content of one version. The same version text with another manifest is another content.
///
/// The context says of which package it is: a package's state on a device, the name of a bundle in a manifest.
public struct VersionID: Hashable, Sendable, CustomStringConvertible {
    public let version: SemanticVersion
    /// The digest of the manifest.
    public let manifest: Digest

    public init(version: SemanticVersion, manifest: Digest) {
        self.version = version
        self.manifest = manifest
    }

    public var description: String { version.description }
}
