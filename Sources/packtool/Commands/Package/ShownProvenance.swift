import PackFormat
import PackJSON
import PackPublisher
import PackRegistryAPI
import PackTrust

/// What a version's provenance says, and who signed it.
struct ShownProvenance {
    private let provenance: BuildProvenance
    private let statement: JSONObject
    /// The keys that may publish the package and signed it.
    private let signers: [PublicKey]

    /// nil where the publisher sent none.
    /// - Throws: ``CommandFailure`` for one that nobody signed who may publish the package, or that is of another version.
    init?(of version: VersionName, in session: RegistrySession) async throws {
        guard let bytes = try await session.registry.provenance(of: version) else { return nil }
        let envelope = try SignedEnvelope(parsing: bytes)
        let (_, targets) = try await session.readingTrust().refresh()
        let keys = targets.body.authority(for: ViewLayout.role(of: version.package))?.keys.values ?? []
        signers = keys.filter { envelope.isSigned(by: $0) }
        provenance = try BuildProvenance(payload: envelope.payload)
        statement = try JSONValue(parsing: envelope.payload).object("the statement")
        guard !signers.isEmpty, envelope.payloadType == BuildProvenance.payloadType, provenance.version == version
        else {
            throw CommandFailure(
                "the provenance of \(version) is signed by no key that may publish \(version.package): the key may have been revoked "
                    + "since, or somebody put it there")
        }
    }

    /// - Throws: ``CommandFailure`` where it is of other content than the package has.
    func check(_ sealed: SealedManifest) throws {
        guard provenance.manifest != sealed.digest else { return }
        throw CommandFailure(
            "the provenance of \(sealed.name) is of the manifest \(provenance.manifest), and the package has \(sealed.digest)"
        )
    }

    var text: String {
        let place = [provenance.commit.map { "commit \($0)" }, provenance.source, provenance.ref].compactMap(\.self)
        var lines = [
            "built     \(place.isEmpty ? "from sources that it does not name" : place.joined(separator: ", "))"
        ]
        lines.append("  by      \(provenance.builder)")
        if let workflow = provenance.workflow { lines.append("  job     \(workflow)") }
        if let run = provenance.invocation { lines.append("  run     \(run)") }
        for input in provenance.inputs { lines.append("  input   \(input.name), SHA-256 \(input.digest)") }
        lines.append("  signed  by \(signers.map { String($0.id.prefix(16)) }.joined(separator: ", "))")
        return lines.joined(separator: "\n")
    }

    var json: JSONObject {
        ["statement": .object(statement), "signedBy": .array(signers.map { .string($0.id) })]
    }
}
