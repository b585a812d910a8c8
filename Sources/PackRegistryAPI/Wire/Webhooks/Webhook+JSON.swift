import Foundation
import PackFormat
package import PackJSON

extension WebhookRequest {
    /// The body of `POST /v1/webhooks`.
    package var json: JSONObject {
        var json: JSONObject = [
            "url": .string(url), "format": .string(format.rawValue), "events": Webhook.json(kinds),
        ]
        json["secret"] = secret.map { .string($0) }
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["url", "format", "events", "secret"])
        try self.init(
            url: json.string("url"), format: json["format"].map { try Webhook.format($0.string("format")) } ?? .json,
            kinds: json["events"] == nil ? Set(Webhook.Kind.allCases) : Webhook.kinds(json.array("events")),
            secret: json["secret"]?.string("secret"))
    }
}

extension Webhook {
    /// One entry of `GET /v1/webhooks`.
    package var json: JSONObject {
        var json: JSONObject = [
            "id": .string(id), "url": .string(url), "format": .string(format.rawValue), "events": Self.json(kinds),
            "created": .string(WireTime.text(created)), "createdBy": .string(createdBy),
            "waiting": .integer(waitingCount), "dead": .integer(deadCount),
        ]
        json["error"] = lastError.map { .string($0) }
        return json
    }

    package init(json: JSONObject) throws {
        try self.init(
            id: json.string("id"), url: json.string("url"), format: Self.format(json.string("format")),
            kinds: Self.kinds(json.array("events")), created: json.date("created"),
            createdBy: json.string("createdBy"))
        waitingCount = try json.integer("waiting")
        deadCount = try json.integer("dead")
        lastError = try json["error"]?.string("error")
    }

    fileprivate static func json(_ kinds: Set<Kind>) -> JSONValue {
        .array(Kind.allCases.filter(kinds.contains).map { .string($0.rawValue) })
    }

    fileprivate static func format(_ text: String) throws -> Format {
        guard let format = Format(rawValue: text) else {
            throw JSONError.unexpected(field: "format", wanted: "json or slack", found: "\"\(text.prefix(40))\"")
        }
        return format
    }

    package static func kind(_ text: String) throws -> Kind {
        guard let kind = Kind(rawValue: text) else {
            throw JSONError.unexpected(
                field: "events", wanted: "some of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))",
                found: "\"\(text.prefix(40))\"")
        }
        return kind
    }

    fileprivate static func kinds(_ values: [JSONValue]) throws -> Set<Kind> {
        try Set(values.map { try kind($0.string("events")) })
    }
}

extension DeadLetter {
    package var json: JSONObject {
        [
            "id": .string(id), "webhook": .string(webhook), "event": .string(kind.rawValue),
            "created": .string(WireTime.text(created)), "attempts": .integer(attempts), "error": .string(error),
        ]
    }

    package init(json: JSONObject) throws {
        try self.init(
            id: json.string("id"), webhook: json.string("webhook"), kind: Webhook.kind(json.string("event")),
            created: json.date("created"), attempts: json.integer("attempts"), error: json.string("error"))
    }
}
