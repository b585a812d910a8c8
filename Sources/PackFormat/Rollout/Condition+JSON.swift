package import PackJSON

extension Condition {
    package var json: JSONObject {
        func values(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        switch self {
        case .app(let range): return ["kind": "app", "range": .string(range.description)]
        case .os(let range): return ["kind": "os", "range": .string(range.description)]
        case .platform(let names): return ["kind": "platform", "in": values(names)]
        case .locale(let names): return ["kind": "locale", "in": values(names)]
        case .region(let names): return ["kind": "region", "in": values(names)]
        case .model(let prefixes): return ["kind": "model", "prefix": values(prefixes)]
        case .network(let kinds): return ["kind": "network", "in": values(kinds.map(\.rawValue))]
        case .tag(let name, let wanted): return ["kind": "tag", "name": .string(name), "in": values(wanted)]
        case .device(let hashes, let isIn): return ["kind": "device", isIn ? "in" : "notIn": values(hashes)]
        case .group(let names): return ["kind": "group", "in": values(names)]
        case .unknown(_, let text):
            return (try? JSONValue(parsing: Array(text.utf8)).object("condition")) ?? ["kind": "unknown"]
        }
    }

    /// Never fails: a condition that is not understood, in whole or in part, admits no device.
    package init(json: JSONObject) {
        self =
            Self.known(json)
            ?? .unknown(
                (try? json.string("kind")) ?? "?",
                json: String(decoding: JSONValue.object(json).canonicalBytes, as: UTF8.self))
    }

    private static func known(_ json: JSONObject) -> Condition? {
        guard let kind = try? json.string("kind") else { return nil }
        func only(_ fields: String...) -> Bool {
            json.members.allSatisfy { $0.key == "kind" || fields.contains($0.key) }
        }
        func values(_ key: String) -> [String]? {
            guard let array = try? json.array(key), (1...maximumValueCount).contains(array.count) else { return nil }
            let values = array.compactMap { try? $0.string(key) }
            return values.count == array.count ? values : nil
        }
        func range() -> AppVersionRange? { (try? json.string("range")).flatMap { try? AppVersionRange($0) } }
        switch kind {
        case "app" where only("range"): return range().map { .app($0) }
        case "os" where only("range"): return range().map { .os($0) }
        case "platform" where only("in"): return values("in").map { .platform($0) }
        case "locale" where only("in"): return values("in").map { .locale($0) }
        case "region" where only("in"): return values("in").map { .region($0) }
        case "model" where only("prefix"): return values("prefix").map { .model($0) }
        case "network" where only("in"):
            return values("in").flatMap { names in
                let kinds = names.compactMap { NetworkKind(rawValue: $0) }
                return kinds.count == names.count ? .network(kinds) : nil
            }
        case "tag" where only("name", "in"):
            guard let name = try? json.string("name"), let wanted = values("in") else { return nil }
            return .tag(name, in: wanted)
        case "device" where only("in"): return values("in").map { .device($0, isIn: true) }
        case "device" where only("notIn"): return values("notIn").map { .device($0, isIn: false) }
        case "group" where only("in"): return values("in").map { .group($0) }
        default: return nil
        }
    }

    /// A condition with more names nobody; groups of devices are files of their own.
    private static var maximumValueCount: Int { 1_000 }
}
