import Foundation
import PackFormat
package import PackJSON

extension TokenRequest {
    /// The body of `POST /v1/tokens`.
    package var json: JSONObject {
        var json: JSONObject = ["name": .string(name), "scope": scope.json]
        json["expires"] = expires.map { .string(WireTime.text($0)) }
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["name", "scope", "expires"])
        try self.init(
            name: json.string("name"), scope: TokenScope(json: json.required("scope")),
            expires: json.optionalDate("expires"))
    }
}

extension TokenRecord {
    /// One entry of `GET /v1/tokens`.
    package var json: JSONObject {
        var json: JSONObject = [
            "id": .string(id), "name": .string(name), "scope": scope.json,
            "created": .string(WireTime.text(created)),
        ]
        json["expires"] = expires.map { .string(WireTime.text($0)) }
        json["revoked"] = revoked.map { .string(WireTime.text($0)) }
        json["trust"] = trust.map { .object($0.json) }
        json["parent"] = parent.map { .string($0) }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            id: json.string("id"), name: json.string("name"), scope: TokenScope(json: json.required("scope")),
            created: json.date("created"), expires: json.optionalDate("expires"),
            revoked: json.optionalDate("revoked"),
            trust: json["trust"].map { try TokenTrust(json: $0.object("trust")) },
            parent: json["parent"].map { try $0.string("parent") })
    }
}

extension CreatedToken {
    /// The answer of `POST /v1/tokens` and `POST /v1/tokens/exchange`.
    package var json: JSONObject { ["token": .object(record.json), "secret": .string(secret)] }

    package init(json: JSONObject) throws {
        try self.init(record: TokenRecord(json: json.object("token")), secret: json.string("secret"))
    }
}

extension AuditEntry {
    /// One entry of `GET /v1/audit`.
    package var json: JSONObject {
        [
            "time": .string(WireTime.text(time)), "actor": .string(actor), "action": .string(action),
            "subject": .string(subject), "detail": .string(detail),
        ]
    }

    package init(json: JSONObject) throws {
        try self.init(
            time: json.date("time"), actor: json.string("actor"), action: json.string("action"),
            subject: json.string("subject"), detail: json.string("detail"))
    }
}
