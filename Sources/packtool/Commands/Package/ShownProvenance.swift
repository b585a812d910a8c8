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

    /// nil where the publisher sent none, or the registry tells it to others only.
    /// - Throws: ``CommandFailure`` for one that is of another version.
    init?(of version: VersionName, in session: RegistrySession) async throws {
        let bytes: [UInt8]?
        do { bytes = try await session.registry.provenance(of: version) } catch let error as RegistryError
            where [.unauthorized, .forbidden, .notFound, .unreachable].contains(error.kind)
        { return nil }
        guard let bytes else { return nil }
        let envelope = try SignedEnvelope(parsing: bytes)
        let (_, targets) = try await session.readingTrust().refresh()
        let keys = targets.body.authority(for: ViewLayout.role(of: version.package))?.keys.values ?? []
        signers = keys.filter { envelope.isSigned(by: $0) }
        provenance = try BuildProvenance(payload: envelope.payload)
        statement = try JSONValue(parsing: envelope.payload).object("the statement")
        guard envelope.payloadType == BuildProvenance.payloadType, provenance.version == version else {
            throw CommandFailure("the provenance that the registry has of \(version) is of \(provenance.version)")
        }
    }

    /// - Throws: ``CommandFailure`` where it is of other content than the package has.
    func check(_ sealed: SealedManifest) throws {
        guard provenance.manifest != sealed.digest else { return }
        throw CommandFailure(
            "the provenance of \(sealed.name) is of the manifest \(provenance.manifest), and the package has \(sealed.digest)"
        )
    }

    /// Whether a key that the owner names now signed it.
    var isSigned: Bool { !signers.isEmpty }

    /// - Throws: ``CommandFailure`` where nobody signed it whom the owner trusts now.
    func requireSigner() throws {
        guard !isSigned else { return }
        throw CommandFailure(
            "the provenance of \(provenance.version) is signed by no key that may publish \(provenance.version.package) now, so it "
                + "proves nothing: the publisher's key was replaced since, or somebody else put it there",
            kind: "invalid")
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
        let keys = signers.map { String($0.id.prefix(16)) }.joined(separator: ", ")
        lines.append("  signed  by \(isSigned ? keys : "no key that may publish it now")")
        return lines.joined(separator: "\n")
    }

    var json: JSONObject {
        ["statement": .object(statement), "signedBy": .array(signers.map { .string($0.id) })]
    }
}
