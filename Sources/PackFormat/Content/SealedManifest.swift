/// A manifest with the bytes that it was parsed from and the digest that names them: parsed and hashed once, and never apart.
package struct SealedManifest: Hashable, Sendable {
    package let manifest: Manifest
    package let bytes: [UInt8]
    package let digest: Digest

    /// - Throws: ``FormatError`` for bytes that are no manifest.
    package init(parsing bytes: [UInt8]) throws(FormatError) {
        self.init(try Manifest(parsing: bytes), bytes: bytes, digest: Digest(of: bytes))
    }

    /// One whose bytes and digest are known to belong together.
    package init(_ manifest: Manifest, bytes: [UInt8], digest: Digest) {
        self.manifest = manifest
        self.bytes = bytes
        self.digest = digest
    }

    package var name: VersionName { VersionName(manifest.package, manifest.version) }
    package var id: VersionID { VersionID(version: manifest.version, manifest: digest) }
}
