package import PackJSON

/// An id token, and which trust it is for, if it may be for several.
package struct TokenExchangeRequest: Hashable, Sendable {
    package let idToken: String
    /// The id of a trust.
    package let trust: String?

    package init(idToken: String, trust: String? = nil) {
        self.idToken = idToken
        self.trust = trust
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
