/// A coding key of any name, so that unknown keys of a document are noticed instead of skipped.
struct StrictKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) {
        stringValue = name
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        nil
    }
}

extension KeyedDecodingContainer where Key == StrictKey {
    func refuseKeys(outside known: Set<String>) throws {
        if let key = allKeys.map(\.stringValue).sorted().first(where: { !known.contains($0) }) {
            throw WebError.invalidRules("the key \"\(key)\" is not known")
        }
    }
}
