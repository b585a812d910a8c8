import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Names the current snapshot (§4.6). It is the one file that is fetched again and again.
public struct TimestampMetadata: RoleMetadata {
    public static var typeName: String { "timestamp" }

    public var header: MetadataHeader
    /// The current snapshot.
    public var snapshot: MetaFile
    private var otherFiles = JSONObject()
    private var extra = JSONObject()

    /// A timestamp for a snapshot.
    public init(version: Int = 1, expires: Date, snapshot: MetaFile) {
        header = MetadataHeader(version: version, expires: expires)
        self.snapshot = snapshot
    }

    public init(fields: MetadataFields) throws {
        let object = fields.object
        header = try MetadataHeader(reading: object, type: Self.typeName)
        let meta = try object.object("meta")
        snapshot = try MetaFile(reading: try meta.object("snapshot.json"))
        otherFiles = meta.unknown(besides: "snapshot.json")
        extra = object.unknown(besides: "_type", "spec_version", "version", "expires", "meta")
    }

    public var fields: MetadataFields {
        var object = extra
        header.write(to: &object, type: Self.typeName)
        var meta = otherFiles
        meta["snapshot.json"] = .object(snapshot.json)
        object["meta"] = .object(meta)
        return MetadataFields(object)
    }
}
