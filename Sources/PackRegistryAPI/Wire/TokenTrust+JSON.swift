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

extension TrustRequest {
    /// The body of `POST /v1/trusts`.
    package var json: JSONObject { ["name": .string(name), "scope": scope.json, "trust": .object(trust.json)] }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["name", "scope", "trust"])
        try json.object("trust").refuseKeys(outside: ["issuer", "audience", "claims", "keysURL"])
        try self.init(
            name: json.string("name"), scope: TokenScope(json: json.required("scope")),
            trust: TokenTrust(json: json.object("trust")))
    }
}

extension TokenExchangeRequest {
    /// The body of `POST /v1/tokens/exchange`.
    package var json: JSONObject {
        var json: JSONObject = ["idToken": .string(idToken)]
        json["trust"] = trust.map { .string($0) }
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["idToken", "trust"])
        try self.init(idToken: json.string("idToken"), trust: json["trust"].map { try $0.string("trust") })
    }
}
