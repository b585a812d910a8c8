import PackJSON

/// The JSON object of a piece of metadata as it is signed. The typed metadata gives access to its content.
public struct MetadataFields: Sendable, Equatable {
    var object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }
}

/// A violation of a format rule in a document, reported as ``TrustError/malformed(document:reason:)``.
struct MetadataFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension JSONObject {
    /// The members that no typed property holds. They are part of what is signed, so they are kept.
    func unknown(besides known: String...) -> JSONObject {
        var rest = self
        for key in known { rest[key] = nil }
        return rest
    }

    /// A table of the members of a member object.
    func table<Value>(_ key: String, _ read: (String, JSONValue) throws -> Value) throws -> NameTable<Value> {
        NameTable(try object(key).members.map { ($0.key, try read($0.key, $0.value)) })
    }

    func strings(_ key: String) throws -> [String] {
        try array(key).map { try $0.string(key) }
    }
}

extension NameTable {
    func json(_ write: (Value) -> JSONObject) -> JSONValue {
        .object(JSONObject(entries.map { ($0.name, .object(write($0.value))) }))
    }
}
