/// Typed access. Every failure names the field and the value that was found.
extension JSONValue {
    package func object(_ name: String = "the document") throws(JSONError) -> JSONObject {
        guard case .object(let object) = self else { throw .unexpected(field: name, wanted: "an object", found: kind) }
        return object
    }

    package func array(_ name: String = "the document") throws(JSONError) -> [JSONValue] {
        guard case .array(let array) = self else { throw .unexpected(field: name, wanted: "an array", found: kind) }
        return array
    }

    package func string(_ name: String = "the document") throws(JSONError) -> String {
        guard case .string(let string) = self else { throw .unexpected(field: name, wanted: "a string", found: kind) }
        return string
    }

    package func integer(_ name: String = "the document") throws(JSONError) -> Int {
        guard case .integer(let integer) = self else {
            throw .unexpected(field: name, wanted: "an integer", found: kind)
        }
        return integer
    }

    package func bool(_ name: String = "the document") throws(JSONError) -> Bool {
        guard case .bool(let bool) = self else { throw .unexpected(field: name, wanted: "a boolean", found: kind) }
        return bool
    }
}

extension JSONObject {
    package func required(_ key: String) throws(JSONError) -> JSONValue {
        guard let value = self[key] else { throw .missing(field: key) }
        return value
    }

    package func object(_ key: String) throws(JSONError) -> JSONObject { try required(key).object(key) }
    package func array(_ key: String) throws(JSONError) -> [JSONValue] { try required(key).array(key) }
    package func string(_ key: String) throws(JSONError) -> String { try required(key).string(key) }
    package func integer(_ key: String) throws(JSONError) -> Int { try required(key).integer(key) }
    package func bool(_ key: String) throws(JSONError) -> Bool { try required(key).bool(key) }
}

extension JSONObject {
    /// Refuses the first key that is not among `known`.
    package func refuseKeys(outside known: Set<String>) throws(JSONError) {
        for member in members where !known.contains(member.key) { throw .unknown(field: member.key) }
    }
}
