/// A coding key of any name, so that unknown keys of a document are noticed instead of skipped.
package struct StrictKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(_ name: String) {
        stringValue = name
    }

    package init?(stringValue: String) {
        self.init(stringValue)
    }

    package init?(intValue: Int) {
        nil
    }
}

extension KeyedDecodingContainer where Key == StrictKey {
    package func refuseKeys(outside known: Set<String>) throws {
        if let key = allKeys.map(\.stringValue).sorted().first(where: { !known.contains($0) }) {
            throw WebError.invalidRules("the key \"\(key)\" is not known")
        }
    }
}
