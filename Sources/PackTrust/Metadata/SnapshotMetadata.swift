import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The versions of all targets metadata that belong together (§4.4), so that nobody can mix old and new files.
public struct SnapshotMetadata: RoleMetadata {
    public static var typeName: String { "snapshot" }

    public var header: MetadataHeader
    /// The files by name: `targets.json`, `ROLE.json`.
    public var files: NameTable<MetaFile>
    private var extra = JSONObject()

    /// A snapshot of these roles, by role name without `.json`.
    public init(version: Int = 1, expires: Date, roles: NameTable<MetaFile> = [:]) {
        header = MetadataHeader(version: version, expires: expires)
        files = NameTable(roles.entries.map { (Self.fileName(of: $0.name), $0.value) })
    }

    public init(fields: MetadataFields) throws {
        let object = fields.object
        header = try MetadataHeader(reading: object, type: Self.typeName)
        files = try object.table("meta") { name, value in try MetaFile(reading: try value.object(name)) }
        extra = object.unknown(besides: "_type", "spec_version", "version", "expires", "meta")
    }

    public var fields: MetadataFields {
        var object = extra
        header.write(to: &object, type: Self.typeName)
        object["meta"] = files.json(\.json)
        return MetadataFields(object)
    }

    /// The snapshot's description of a role.
    public subscript(role role: String) -> MetaFile? {
        get { files[Self.fileName(of: role)] }
        set { files[Self.fileName(of: role)] = newValue }
    }

    private static func fileName(of role: String) -> String { "\(role).json" }
}
