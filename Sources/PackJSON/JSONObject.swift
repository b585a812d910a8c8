/// The members of a JSON object in the order of their keys' code points, each key once.
package struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    package struct Member: Sendable {
        package let key: String
        package var value: JSONValue
        /// The offset in bytes of the key in the parsed text; nil for a member that was built in code.
        package let offset: Int?
    }

    package private(set) var members: [Member]

    package init() {
        members = []
    }

    /// Builds an object in code. If a key occurs twice, the last value counts.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }

    /// Builds an object in code. If a key occurs twice, the last value counts.
    package init(_ elements: some Sequence<(String, JSONValue)>) {
        let given = elements.map { Member(key: $0, value: $1, offset: nil) }
        if zip(given, given.dropFirst()).allSatisfy({ Self.precedes($0.key, $1.key) }) {
            // In order already, as large objects are.
            members = given
            return
        }
        var sorted: [Member] = []
        let stable = given.enumerated().sorted { left, right in
            Self.precedes(left.element.key, right.element.key)
                || (Self.isSame(left.element.key, right.element.key) && left.offset < right.offset)
        }
        for (_, member) in stable {
            if let last = sorted.last, Self.isSame(last.key, member.key) { sorted.removeLast() }
            sorted.append(member)
        }
        members = sorted
    }

    /// Takes members in the order read; returns nil in `duplicate` unless a key stands twice.
    init(read: [Member], duplicate: inout Member?) {
        if zip(read, read.dropFirst()).allSatisfy({ Self.precedes($0.key, $1.key) }) {
            // In order already, as every signed document is.
            members = read
            return
        }
        members = read.sorted { Self.precedes($0.key, $1.key) }
        for (previous, next) in zip(members, members.dropFirst()) where Self.isSame(previous.key, next.key) {
            duplicate = next
            return
        }
    }

    package subscript(key: String) -> JSONValue? {
        get { index(of: key).map { members[$0].value } }
        set {
            let position = lowerBound(of: key)
            let found = position < members.count && Self.isSame(members[position].key, key)
            switch (found, newValue) {
            case (true, let value?): members[position].value = value
            case (true, nil): members.remove(at: position)
            case (false, let value?): members.insert(Member(key: key, value: value, offset: nil), at: position)
            case (false, nil): break
            }
        }
    }

    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count
            && zip(left.members, right.members).allSatisfy {
                isSame($0.key, $1.key) && $0.value == $1.value
            }
    }

    /// Code point order, which is the order of the UTF-8 bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        withBytes(left, right) { $0.lexicographicallyPrecedes($1) } ?? left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// By code points: `==` of strings takes canonically equivalent ones for one.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        withBytes(left, right) { $0.elementsEqual($1) } ?? left.utf8.elementsEqual(right.utf8)
    }

    /// Through their memory, which takes a fraction of the time of the views' own iterators.
    private static func withBytes(
        _ left: String, _ right: String, _ compare: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool? {
        left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in compare(left, right) }
        } ?? nil
    }

    private func index(of key: String) -> Int? {
        let position = lowerBound(of: key)
        guard position < members.count, Self.isSame(members[position].key, key) else { return nil }
        return position
    }

    private func lowerBound(of key: String) -> Int {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(members[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
