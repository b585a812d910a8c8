import PackJSON

/// The keys that may sign a role, and how many of them must (§4.3 ROLES).
public struct RoleKeys: Sendable, Equatable {
    /// The ids of the keys, each once.
    public var keyIDs: [String]
    /// The number of keys that must sign, at least 1.
    public var threshold: Int
    var extra = JSONObject()

    /// The keys of a role. A threshold below 1 counts as 1.
    public init(_ keys: [PublicKey], threshold: Int = 1) {
        keyIDs = []
        for key in keys where !keyIDs.contains(key.id) { keyIDs.append(key.id) }
        self.threshold = max(1, threshold)
    }

    init(reading object: JSONObject, besides known: [String] = []) throws {
        keyIDs = try object.strings("keyids")
        guard Set(keyIDs.map { Array($0.utf8) }).count == keyIDs.count else {
            throw MetadataFault("a key id is listed twice in a role")
        }
        threshold = try object.integer("threshold")
        guard threshold >= 1 else { throw MetadataFault("the threshold \(threshold) is below 1") }
        extra = object.unknown(besides: "keyids", "threshold")
        for key in known { extra[key] = nil }
    }

    var json: JSONObject {
        var object = extra
        object["keyids"] = .array(keyIDs.map { .string($0) })
        object["threshold"] = .integer(threshold)
        return object
    }
}

/// The authority of one document over another: whose signatures count for a role, and how many are needed.
public struct RoleAuthority: Sendable {
    public let role: String
    public let keys: NameTable<PublicKey>
    public let threshold: Int

    init(role: String, roleKeys: RoleKeys, known keys: NameTable<PublicKey>) {
        self.role = role
        threshold = roleKeys.threshold
        self.keys = NameTable(roleKeys.keyIDs.compactMap { id in keys[id].map { (id, $0) } })
    }
}

/// A document that says who may sign other documents: root for the top-level roles, targets for delegated ones.
public protocol Delegator {
    /// The keys for a role; nil if the document does not delegate to it.
    func authority(for role: String) -> RoleAuthority?
}
