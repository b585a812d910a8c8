package import Foundation
package import PackJSON

/// The state of a server, for an operator or for a monitor with a token.
package struct HealthDetails: Hashable, Sendable {
    /// A signed document that devices read, and the time until which they accept it.
    package struct Signature: Hashable, Sendable {
        package let version: Int
        package let expires: Date

        package init(version: Int, expires: Date) {
            self.version = version
            self.expires = expires
        }
    }

    package let app: String
    /// The version of packtool.
    package let version: String
    /// The signatures of root, targets, channels, snapshot and timestamp, as the view has them.
    package let signatures: [String: Signature]

    package init(app: String, version: String, signatures: [String: Signature]) {
        self.app = app
        self.version = version
        self.signatures = signatures
    }
}

extension HealthDetails {
    package var json: JSONObject {
        let signatures = signatures.map { role, signature in
            (
                role,
                JSONValue.object([
                    "version": .integer(signature.version), "expires": .string(WireTime.text(signature.expires)),
                ])
            )
        }
        return ["app": .string(app), "version": .string(version), "signatures": .object(JSONObject(signatures))]
    }

    package init(json: JSONObject) throws {
        var signatures: [String: Signature] = [:]
        for member in try json.object("signatures").members {
            let signature = try member.value.object(member.key)
            signatures[member.key] = try Signature(
                version: signature.integer("version"), expires: signature.date("expires"))
        }
        try self.init(app: json.string("app"), version: json.string("version"), signatures: signatures)
    }
}
