import PackJSON

/// A piece of metadata with its signatures and the exact bytes of its file.
///
///     let document = try SignedDocument<TargetsMetadata>(parsing: bytes)
///     try document.verify(by: root.authority(for: .targets))
///     let mine = try document.signed(by: key)          // adds one signature, keeps the others
///
/// Parsing a document does not verify it: ``TrustedMetadata`` does, and only it says which documents may be used.
public struct SignedDocument<Body: RoleMetadata>: Sendable, Equatable {
    /// The signed part.
    public let body: Body
    /// The signatures; each key id occurs once.
    public let signatures: [Signature]
    /// The file as it was received or will be written. Hashes are computed over these bytes.
    public let bytes: [UInt8]
    /// The canonical JSON of the signed part with all fields, known or not. Signatures are computed over these bytes.
    public let signedBytes: [UInt8]
    let signedObject: JSONObject
    let envelope: JSONObject

    /// Parses a document.
    /// - Throws: ``TrustError/malformed(document:reason:)``
    public init(parsing bytes: some Sequence<UInt8>, name: String = Body.typeName) throws(TrustError) {
        self.bytes = Array(bytes)
        do {
            envelope = try JSONValue(parsing: self.bytes).object()
            signedObject = try envelope.object("signed")
            signedBytes = JSONValue.object(signedObject).canonicalBytes
            signatures = try envelope.array("signatures").map { try Signature(reading: try $0.object("signatures")) }
            // §4.2.1: a client must refuse a key id that stands twice, or one key could pass for several.
            guard Set(signatures.map { Array($0.keyID.utf8) }).count == signatures.count else {
                throw MetadataFault("a key id is listed twice among its signatures")
            }
            body = try Body(fields: MetadataFields(signedObject))
        } catch {
            throw .malformed(document: name, reason: "\(error)")
        }
    }

    /// Wraps a body without signatures.
    public init(unsigned body: Body) {
        self.init(body: body, signedObject: body.fields.object, signatures: [], envelope: [:])
    }

    init(body: Body, signedObject: JSONObject, signatures: [Signature], envelope: JSONObject) {
        self.body = body
        self.signedObject = signedObject
        self.signatures = signatures
        var envelope = envelope
        envelope["signed"] = .object(signedObject)
        envelope["signatures"] = .array(signatures.map { .object($0.json) })
        self.envelope = envelope
        signedBytes = JSONValue.object(signedObject).canonicalBytes
        bytes = Array(JSONValue.object(envelope).compactText.utf8)
    }

    /// The description of this document for a snapshot or timestamp, with its length and hash.
    public var metaFile: MetaFile {
        MetaFile(version: body.version, length: bytes.count, hashes: FileHashes(of: bytes))
    }
}
