package import PackJSON

extension TokenTrust {
    package var json: JSONObject {
        var claims: JSONObject = [:]
        for (name, value) in self.claims.sorted(by: { $0.key < $1.key }) { claims[name] = .string(value) }
        var json: JSONObject = [
            "issuer": .string(issuer), "audience": .string(audience), "claims": .object(claims),
        ]
        json["keysURL"] = keysURL.map { .string($0) }
        return json
    }

    /// Reads what a registry recorded, also of a later version with more fields.
    package init(json: JSONObject) throws {
        var claims: [String: String] = [:]
        for member in try json.object("claims").members { claims[member.key] = try member.value.string(member.key) }
        try self.init(
            issuer: json.string("issuer"), audience: json.string("audience"), claims: claims,
            keysURL: json["keysURL"].map { try $0.string("keysURL") })
    }
}
