package import PackJSON

extension WebRules {
    /// Reads a document. What is not known is refused with the whole of it: a rule whose condition is not understood would hold
    /// too often. Every error names its place, such as `rules[2].action`.
    /// - Throws: ``FormatError/invalidRules(_:)``
    public init(parsing bytes: some Collection<UInt8>) throws(FormatError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw .invalidRules("the document is larger than \(Self.maximumByteCount) bytes")
        }
        do {
            self = try Self(json: JSONValue(parsing: bytes).object())
        } catch let error as FormatError {
            throw error
        } catch {
            throw .invalidRules("\(error)")
        }
    }

    package init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["format", "rules", "api"])
        let format = try json.integer("format")
        guard format == Self.currentFormat else {
            throw FormatError.invalidRules("format \(format) is not \(Self.currentFormat)")
        }
        let values = try json.array("rules")
        guard values.count <= Self.maximumRuleCount else {
            throw FormatError.invalidRules("there are more than \(Self.maximumRuleCount) rules")
        }
        let rules = try values.enumerated().map { index, value in
            do { return try Rule(json: value.object("a rule")) } catch {
                throw FormatError.invalidRules("rules[\(index)]: \(error)")
            }
        }
        let api = try json["api"]?.object("api").members.map { ($0.key, try $0.value.string("api.\($0.key)")) } ?? []
        try self.init(rules, api: APIRoutes(Dictionary(api, uniquingKeysWith: { $1 })))
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "format": .integer(Self.currentFormat), "rules": .array(rules.map { .object($0.json) }),
        ]
        if !api.isEmpty { json["api"] = .object(JSONObject(api.targets.map { ($0.key, .string($0.value)) })) }
        return json
    }
}

extension WebRules.Rule {
    fileprivate init(json: JSONObject) throws {
        try json.refuseKeys(outside: ["name", "action", "host", "path", "types", "minimumSize", "maximumSize"])
        let text = try json.string("action")
        guard let action = WebRules.Action(rawValue: text) else {
            throw JSONError.unexpected(field: "action", wanted: "local, online or deny", found: "\"\(text)\"")
        }
        try self.init(
            name: json.string("name"), action: action, host: json["host"]?.string("host"),
            path: json["path"]?.string("path"),
            types: json["types"]?.array("types").map { try $0.string("types") },
            minimumSize: json["minimumSize"]?.integer("minimumSize"),
            maximumSize: json["maximumSize"]?.integer("maximumSize"))
    }

    fileprivate var json: JSONObject {
        var json: JSONObject = ["name": .string(name), "action": .string(action.rawValue)]
        json["host"] = host.map { .string($0) }
        json["path"] = path.map { .string($0) }
        json["types"] = types.map { .array($0.map { .string($0) }) }
        json["minimumSize"] = minimumSize.map { .integer($0) }
        json["maximumSize"] = maximumSize.map { .integer($0) }
        return json
    }
}
