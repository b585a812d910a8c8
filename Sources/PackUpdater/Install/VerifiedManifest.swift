import PackFormat

/// A manifest whose bytes have the signed digest. Its parts are checked by its makers:
/// ``Installer/manifest(of:_:expected:bases:)``, and the store, which names each tree's manifest by its digest.
struct VerifiedManifest: Sendable {
    private let sealed: SealedManifest

    var manifest: Manifest { sealed.manifest }
    var bytes: [UInt8] { sealed.bytes }
    var digest: Digest { sealed.digest }
    var id: VersionID { sealed.id }

    /// - Throws: ``UpdateError/damagedContent(_:reason:)`` unless the bytes have the digest and are that version's.
    init(
        package: PackageID, version: SemanticVersion, bytes: [UInt8], digest: Digest
    ) throws {
        guard Digest(of: bytes) == digest else {
            throw UpdateError.damagedContent("the manifest of \(package) \(version)", reason: "it has another digest")
        }
        let manifest = try Manifest(parsing: bytes)
        guard manifest.package == package, manifest.version == version else {
            throw UpdateError.refused(
                package, version, reason: "its manifest is that of \(manifest.package) \(manifest.version)")
        }
        sealed = SealedManifest(manifest, bytes: bytes, digest: digest)
    }

    /// One that the store read by its digest.
    init(installed: (manifest: Manifest, bytes: [UInt8]), id: VersionID) {
        sealed = SealedManifest(installed.manifest, bytes: installed.bytes, digest: id.manifest)
    }
}
