package import PackJSON

/// What a registry is asked to trust, and for what.
package struct TrustRequest: Hashable, Sendable {
    /// The name of the job in the audit log.
    package let name: String
    package let scope: TokenScope
    package let trust: TokenTrust

    package init(name: String, scope: TokenScope, trust: TokenTrust) {
        self.name = name
        self.scope = scope
        self.trust = trust
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
