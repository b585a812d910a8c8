import Foundation
package import PackFormat
package import PackJSON

/// The body of `POST /v1/versions`.
package struct VersionRequest: Hashable, Sendable {
    package let manifest: Digest
    /// The publisher's signed role, byte for byte.
    package let role: [UInt8]
    package let note: VersionNote

    package init(manifest: Digest, role: [UInt8], note: VersionNote = .none) {
        self.manifest = manifest
        self.role = role
        self.note = note
    }

    package var json: JSONObject {
        var json: JSONObject = ["manifest": .string(manifest.hex), "role": JSONValue(role: role)]
        json.set(note)
        json["provenance"] = note.provenance.map { JSONValue(role: $0) }
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["manifest", "role", "note", "commit", "provenance"])
        var note = try json.note()
        if json["provenance"] != nil { note.provenance = try json.decoded("provenance") }
        try self.init(manifest: Digest(hex: json.string("manifest")), role: json.role(), note: note)
    }
}

/// The body of a withdrawal.
package struct WithdrawalRequest: Hashable, Sendable {
    package let reason: String
    package let role: [UInt8]
    /// Only ``OfferConsent/state``.
    package let consent: OfferConsent

    package init(reason: String, role: [UInt8], consent: OfferConsent = []) {
        self.reason = reason
        self.role = role
        self.consent = consent
    }

    package var json: JSONObject {
        var json: JSONObject = ["reason": .string(reason), "role": JSONValue(role: role)]
        json.set(consent)
        return json
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["reason", "role", "despiteState"])
        try self.init(reason: json.string("reason"), role: json.role(), consent: json.consent())
    }
}

extension JSONObject {
    mutating func set(_ note: VersionNote) {
        self["note"] = note.text.map { .string($0) }
        self["commit"] = note.commit.map { .string($0) }
    }

    func note() throws -> VersionNote {
        try VersionNote(text: self["note"]?.string("note"), commit: self["commit"]?.string("commit"))
    }
}

extension JSONValue {
    /// Signed metadata travels as base64: its exact bytes are what is signed.
    fileprivate init(role: [UInt8]) { self = .string(Data(role).base64EncodedString()) }
}

extension JSONObject {
    fileprivate func role() throws -> [UInt8] { try decoded("role") }

    fileprivate func decoded(_ name: String) throws -> [UInt8] {
        guard let data = Data(base64Encoded: try string(name)) else {
            throw JSONError.unexpected(field: name, wanted: "base64", found: "another text")
        }
        return Array(data)
    }
}
