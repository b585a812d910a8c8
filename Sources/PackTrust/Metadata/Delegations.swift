import PackJSON

/// The roles to which a targets role delegates paths (§4.5 DELEGATIONS). Their order is the order of trust.
public struct Delegations: Sendable, Equatable, Delegator {
    /// The keys by id.
    public internal(set) var keys: NameTable<PublicKey>
    /// The roles in the order of the search; each name occurs once.
    public internal(set) var roles: [DelegatedRole] {
        didSet { places = Self.places(of: roles) }
    }
    /// Where each role is in `roles`, by the bytes of its name: an app may have thousands.
    private var places: [[UInt8]: Int]
    /// In the place of `roles`, where another repository uses hash bins.
    private(set) var succinctRoles: SuccinctRoles?
    private var extra = JSONObject()

    /// Makes a value without delegations; see ``TargetsMetadata/delegate(to:keys:)``.
    public init() {
        keys = [:]
        roles = []
        places = [:]
    }

    init(reading object: JSONObject) throws {
        keys = try object.table("keys") { id, value in try PublicKey(reading: try value.object(id), id: id) }
        succinctRoles = try object["succinct_roles"].map {
            try SuccinctRoles(reading: try $0.object("succinct_roles"))
        }
        guard succinctRoles == nil || object["roles"] == nil else {
            throw MetadataFault("it has both \"roles\" and \"succinct_roles\"")
        }
        roles =
            try succinctRoles == nil
            ? object.array("roles").map { try DelegatedRole(reading: try $0.object("roles")) } : []
        places = Self.places(of: roles)
        guard places.count == roles.count else {
            throw MetadataFault("a delegated role is listed twice")
        }
        extra = object.unknown(besides: "keys", "roles", "succinct_roles")
    }

    var json: JSONObject {
        var object = extra
        object["keys"] = keys.json(\.fields.object)
        if let succinctRoles {
            object["succinct_roles"] = .object(succinctRoles.json)
        } else {
            object["roles"] = .array(roles.map { .object($0.json) })
        }
        return object
    }

    /// The delegation to a role by its exact name.
    public func role(named name: String) -> DelegatedRole? {
        places[Array(name.utf8)].map { roles[$0] }
    }

    private static func places(of roles: [DelegatedRole]) -> [[UInt8]: Int] {
        Dictionary(roles.enumerated().map { (Array($1.name.utf8), $0) }) { first, _ in first }
    }

    /// The delegations that may lead to a target path, in the order in which they are searched.
    func roles(covering path: String) throws(TrustError) -> [DelegatedRole] {
        if let succinctRoles { return [try succinctRoles.role(for: path)] }
        return roles.filter { $0.covers(path) }
    }

    public func authority(for role: String) -> RoleAuthority? {
        if let succinctRoles, succinctRoles.names(role) {
            return RoleAuthority(role: role, roleKeys: succinctRoles.roleKeys, known: keys)
        }
        return self.role(named: role).map { RoleAuthority(role: role, roleKeys: $0.roleKeys, known: keys) }
    }
}
