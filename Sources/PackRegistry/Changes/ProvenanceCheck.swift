import PackFormat
import PackJSON
import PackRegistryAPI
import PackTrust

/// Whether a version may be published with its provenance, or without one.
struct ProvenanceCheck {
    let sealed: SealedManifest
    /// Who may publish the package.
    let authority: RoleAuthority
    /// The owner says that versions need one.
    let isRequired: Bool

    /// - Throws: ``RegistryError`` of the kind `.invalid` for one that is missing, of something else, or without sources where one is
    ///   required, `.forbidden` for one that no
    ///   publisher of the package signed.
    func check(_ bytes: [UInt8]?) throws {
        guard let bytes else {
            guard isRequired else { return }
            throw RegistryError(
                .invalid,
                "the app's owner wants to know how versions are built: publish \(sealed.name) with --provenance (a CI job has all "
                    + "that it says)")
        }
        guard bytes.count <= BuildProvenance.maximumByteCount else {
            throw RegistryError(.tooLarge, "a provenance has at most \(BuildProvenance.maximumByteCount) bytes")
        }
        let envelope: SignedEnvelope
        do { envelope = try SignedEnvelope(parsing: bytes) } catch {
            throw RegistryError(.invalid, "the provenance cannot be used: \(error)")
        }
        guard envelope.payloadType == BuildProvenance.payloadType else {
            throw RegistryError(
                .invalid, "the provenance is of the type \(envelope.payloadType), not of an in-toto statement")
        }
        let provenance = try BuildProvenance(payload: envelope.payload)
        guard provenance.version == sealed.name, provenance.manifest == sealed.digest else {
            throw RegistryError(
                .invalid,
                "the provenance is of \(provenance.version) with the manifest \(provenance.manifest), not of \(sealed.name)"
            )
        }
        guard authority.keys.values.contains(where: { envelope.isSigned(by: $0) }) else {
            throw RegistryError(
                .forbidden, "the provenance is signed by no key that may publish \(sealed.name.package)")
        }
        guard !isRequired || provenance.namesSources else { throw BuildProvenance.lacksSources(sealed.name) }
    }
}
