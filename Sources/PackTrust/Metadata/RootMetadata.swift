import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The four top-level roles.
public enum TopLevelRole: String, Sendable, CaseIterable {
    case root, timestamp, snapshot, targets
}

/// Names the keys of the other top-level roles (§4.3). A device starts from one root and follows the chain of
/// successors.
public struct RootMetadata: RoleMetadata, Delegator {
    public static var typeName: String { "root" }

    public var header: MetadataHeader
    /// Whether the names of metadata and targets contain their version or hash (§6.2).
    public var consistentSnapshot: Bool
    /// The keys by id.
    public internal(set) var keys: NameTable<PublicKey>
    var roles: NameTable<RoleKeys>
    private var extra = JSONObject()
    /// A document may leave `consistent_snapshot` out; written back, it must still be what was signed.
    private var leavesOutConsistentSnapshot = false

    /// Makes a root without keys; see ``setKeys(_:threshold:for:)``.
    public init(version: Int = 1, expires: Date, consistentSnapshot: Bool = true) {
        header = MetadataHeader(version: version, expires: expires)
        self.consistentSnapshot = consistentSnapshot
        keys = [:]
        roles = NameTable(TopLevelRole.allCases.map { ($0.rawValue, RoleKeys([])) })
    }

    public init(fields: MetadataFields) throws {
        let object = fields.object
        header = try MetadataHeader(reading: object, type: Self.typeName)
        consistentSnapshot = try object["consistent_snapshot"]?.bool("consistent_snapshot") ?? false
        leavesOutConsistentSnapshot = object["consistent_snapshot"] == nil
        keys = try object.table("keys") { id, value in try PublicKey(reading: try value.object(id), id: id) }
        roles = try object.table("roles") { name, value in try RoleKeys(reading: try value.object(name)) }
        for role in TopLevelRole.allCases where roles[role.rawValue] == nil {
            throw MetadataFault("the role \(role.rawValue) is missing")
        }
        extra = object.unknown(
            besides: "_type", "spec_version", "version", "expires", "consistent_snapshot", "keys", "roles")
    }

    public var fields: MetadataFields {
        var object = extra
        header.write(to: &object, type: Self.typeName)
        if consistentSnapshot || !leavesOutConsistentSnapshot {
            object["consistent_snapshot"] = .bool(consistentSnapshot)
        }
        object["keys"] = keys.json(\.fields.object)
        object["roles"] = roles.json(\.json)
        return MetadataFields(object)
    }

    /// The keys and threshold of a top-level role.
    public func roleKeys(_ role: TopLevelRole) -> RoleKeys { roles[role.rawValue] ?? RoleKeys([]) }

    /// The keys of a top-level role.
    public func authority(for role: TopLevelRole) -> RoleAuthority {
        RoleAuthority(role: role.rawValue, roleKeys: roleKeys(role), known: keys)
    }

    public func authority(for role: String) -> RoleAuthority? {
        TopLevelRole.allCases.first { $0.rawValue.isExactly(role) }.map { authority(for: $0) }
    }

    /// Whether a successor takes a key away from the timestamp or snapshot role, which is how a repository recovers
    /// from a stolen online key: what that key signed must be forgotten then (§5.3.11). A key that is only added
    /// revokes nothing.
    func revokesOnlineKeys(in successor: RootMetadata) -> Bool {
        [TopLevelRole.timestamp, .snapshot].contains { role in
            let kept = successor.authority(for: role).keys
            return authority(for: role).keys.entries.contains { kept[$0.name] == nil }
        }
    }
}
