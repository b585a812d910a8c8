import PackJSON

/// One delegation: a role's name, its keys, and the paths that it may sign.
public struct DelegatedRole: Sendable, Equatable {
    /// The target paths that a role may sign; exactly one of the two forms (§4.5).
    public enum Scope: Sendable, Equatable {
        /// Patterns with `*` and `?`, which do not match `/`.
        case paths([String])
        /// The beginnings of the hexadecimal SHA-256 of target paths.
        case pathHashPrefixes([String])
    }

    public let name: String
    public var roleKeys: RoleKeys
    public var scope: Scope
    /// Whether the search for paths in scope ends here.
    public var isTerminating: Bool
    /// The lowest version of the role that counts. With it, a holder of the online keys cannot show an older version
    /// to a client that has seen none. The field is not part of the specification: other clients keep it, verify it
    /// as a part of the document, and ignore it.
    public var minimumVersion: Int?

    /// The name of that field.
    static let minimumField = "x-packtool-minimum-version"

    /// A delegation to keys.
    /// - Throws: ``TrustError/malformed(document:reason:)`` for an empty name or that of a top-level role.
    public init(
        name: String, roleKeys: RoleKeys, scope: Scope, isTerminating: Bool = false, minimumVersion: Int? = nil
    ) throws(TrustError) {
        do {
            try Self.check(name: name)
        } catch {
            throw .malformed(document: "the delegation", reason: error.description)
        }
        self.name = name
        self.roleKeys = roleKeys
        self.scope = scope
        self.isTerminating = isTerminating
        self.minimumVersion = minimumVersion
    }

    init(reading object: JSONObject) throws {
        name = try object.string("name")
        try Self.check(name: name)
        isTerminating = try object.bool("terminating")
        switch (object["paths"], object["path_hash_prefixes"]) {
        case (_?, nil): scope = .paths(try object.strings("paths"))
        case (nil, _?): scope = .pathHashPrefixes(try object.strings("path_hash_prefixes"))
        case (nil, nil), (_?, _?):
            throw MetadataFault("the role \(name) must have either \"paths\" or \"path_hash_prefixes\"")
        }
        minimumVersion = try object[Self.minimumField].map { _ in try object.integer(Self.minimumField) }
        if let minimumVersion, minimumVersion < 1 {
            throw MetadataFault("the least version of the role \(name) is below 1")
        }
        roleKeys = try RoleKeys(
            reading: object, besides: ["name", "terminating", "paths", "path_hash_prefixes", Self.minimumField])
    }

    var json: JSONObject {
        var object = roleKeys.json
        object["name"] = .string(name)
        object["terminating"] = .bool(isTerminating)
        object[Self.minimumField] = minimumVersion.map { .integer($0) }
        switch scope {
        case .paths(let patterns): object["paths"] = .array(patterns.map { .string($0) })
        case .pathHashPrefixes(let prefixes): object["path_hash_prefixes"] = .array(prefixes.map { .string($0) })
        }
        return object
    }

    /// Whether the role may sign a target path.
    public func covers(_ path: String) -> Bool {
        switch scope {
        case .paths(let patterns): patterns.contains { TargetPathPattern($0).matches(path) }
        case .pathHashPrefixes(let prefixes): TargetPathPattern.hash(of: path, startsWithOneOf: prefixes)
        }
    }

    private static func check(name: String) throws(MetadataFault) {
        guard !name.isEmpty, !TopLevelRole.allCases.contains(where: { $0.rawValue.isExactly(name) }) else {
            throw MetadataFault("\"\(name)\" cannot be the name of a delegated role")
        }
    }
}
