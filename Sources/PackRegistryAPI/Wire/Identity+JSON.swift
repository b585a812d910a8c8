package import PackJSON

extension Identity {
    /// The answer of `GET /v1/identity`.
    package var json: JSONObject {
        var json: JSONObject = ["name": .string(name), "scope": scope.json]
        json["expires"] = expires.map { .string(WireTime.text($0)) }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            name: json.string("name"), scope: TokenScope(json: json.required("scope")),
            expires: json.optionalDate("expires"))
    }
}
