import Foundation
import PackFormat
package import PackJSON

extension TokenScope {
    var json: JSONObject {
        var json: JSONObject = ["actions": .array(actions.map(\.rawValue).sorted().map { .string($0) })]
        json["packages"] = packages.map { .array($0.sorted().map { .string($0.text) }) }
        json["channels"] = channels.map { .array($0.sorted().map { .string($0.text) }) }
        return json
    }

    init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["actions", "packages", "channels"])
        let actions = try json.array("actions").map { value in
            let name = try value.string("actions")
            guard let action = TokenAction(rawValue: name) else {
                throw JSONError.unexpected(
                    field: "actions", wanted: "one of " + TokenAction.allCases.map(\.rawValue).joined(separator: ", "),
                    found: "\"\(name)\"")
            }
            return action
        }
        try self.init(
            actions: Set(actions),
            packages: json["packages"].map { Set(try $0.array("packages").map { try PackageID($0.string("packages")) }) },
            channels: json["channels"].map { Set(try $0.array("channels").map { try ChannelName($0.string("channels")) })
            })
    }
}

extension TokenRequest {
    /// The body of `POST /v1/tokens`.
    var json: JSONObject {
        var json: JSONObject = ["name": .string(name), "scope": .object(scope.json)]
        json["expires"] = expires.map { .string(WireTime.text($0)) }
        return json
    }

    init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["name", "scope", "expires"])
        try self.init(
            name: json.string("name"), scope: TokenScope(json: json.object("scope")),
            expires: json.optionalDate("expires"))
    }
}

extension TokenRecord {
    /// One entry of `GET /v1/tokens`.
    package var json: JSONObject {
        var json: JSONObject = [
            "id": .string(id), "name": .string(name), "scope": .object(scope.json),
            "created": .string(WireTime.text(created)),
        ]
        json["expires"] = expires.map { .string(WireTime.text($0)) }
        json["revoked"] = revoked.map { .string(WireTime.text($0)) }
        return json
    }

    init(json: JSONObject) throws {
        try self.init(
            id: json.string("id"), name: json.string("name"), scope: TokenScope(json: json.object("scope")),
            created: json.date("created"), expires: json.optionalDate("expires"),
            revoked: json.optionalDate("revoked"))
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

    init(json: JSONObject) throws {
        try self.init(
            time: json.date("time"), actor: json.string("actor"), action: json.string("action"),
            subject: json.string("subject"), detail: json.string("detail"))
    }
}
