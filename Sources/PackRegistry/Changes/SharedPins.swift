package import PackFormat
import PackRegistryAPI

/// The shared bundles that a version needs: they must be published, and have the files that are said to come from them, or no
/// device could install the version.
package struct SharedPins {
    private let manifest: Manifest

    package init(of manifest: Manifest) {
        self.manifest = manifest
    }

    /// - Parameters:
    ///   - published: a bundle's version in the registry; nil if there is none.
    ///   - content: the manifest of a bundle.
    /// - Throws: ``RegistryError`` of the kind `.invalid`.
    package func check(
        published: (PackageID, VersionID) throws -> PublishedVersion?, content: (Digest) throws -> Manifest?
    ) throws {
        for (bundle, pin) in manifest.shared.sorted(by: { $0.key < $1.key }) {
            let name = "\(bundle) \(pin.version)"
            guard let published = try published(bundle, pin), published.manifest == pin.manifest,
                let content = try content(pin.manifest)
            else {
                throw RegistryError(
                    .invalid,
                    "\(manifest.package) \(manifest.version) needs the shared bundle \(name) (manifest "
                        + "\(pin.manifest)), which is not published: publish the bundle first")
            }
            if let reason = published.withdrawn {
                throw RegistryError(
                    .invalid,
                    "\(manifest.package) \(manifest.version) needs the shared bundle \(name), which was "
                        + "withdrawn (\(reason)): build again without it")
            }
            let objects = Set(content.ownObjects)
            for (path, file) in manifest.files where file.from == bundle {
                guard objects.contains(Object(digest: file.digest, size: file.size)) else {
                    throw RegistryError(
                        .invalid, "\"\(path)\" is said to come from the shared bundle \(name), which does not have it")
                }
            }
        }
    }
}
