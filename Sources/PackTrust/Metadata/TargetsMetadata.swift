import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Lists target files, and delegates paths to other roles (§4.5). Top-level and delegated roles have the same form.
public struct TargetsMetadata: RoleMetadata, Delegator {
    public static var typeName: String { "targets" }

    public var header: MetadataHeader
    /// The targets by path, exactly as signed.
    public var targets: NameTable<TargetInfo>
    public var delegations: Delegations?
    private var extra = JSONObject()

    /// A role without targets.
    public init(version: Int = 1, expires: Date) {
        header = MetadataHeader(version: version, expires: expires)
        targets = [:]
    }

    public init(fields: MetadataFields) throws {
        let object = fields.object
        header = try MetadataHeader(reading: object, type: Self.typeName)
        targets = try object.table("targets") { path, value in try TargetInfo(reading: try value.object(path)) }
        delegations = try object["delegations"].map { try Delegations(reading: try $0.object("delegations")) }
        extra = object.unknown(besides: "_type", "spec_version", "version", "expires", "targets", "delegations")
    }

    public var fields: MetadataFields {
        var object = extra
        header.write(to: &object, type: Self.typeName)
        object["targets"] = targets.json(\.json)
        object["delegations"] = delegations.map { .object($0.json) }
        return MetadataFields(object)
    }

    /// Whether the owner wants a signed statement of how each new version was built. The field is ours: other clients pass it on.
    public var requiresProvenance: Bool {
        get { (try? extra[Self.provenanceField]?.string()) == "required" }
        set { extra[Self.provenanceField] = newValue ? "required" : nil }
    }

    private static let provenanceField = "x-packtool-provenance"

    public func authority(for role: String) -> RoleAuthority? {
        delegations?.authority(for: role)
    }
}
