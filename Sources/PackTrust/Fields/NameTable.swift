/// A table by name whose names are compared and ordered by their UTF-8 bytes.
///
/// A dictionary would not do: `String` equality is canonical equivalence, under which two different target paths or
/// role names of one signed document collapse into one, and the signature would cover more than the reader sees.
public struct NameTable<Value: Sendable>: Sendable {
    /// One name and its value.
    public struct Entry: Sendable {
        public let name: String
        public var value: Value
    }

    /// The entries in the order of their names' UTF-8 bytes.
    public private(set) var entries: [Entry]

    /// An empty table.
    public init() {
        entries = []
    }

    /// A table of these elements. If a name occurs twice, the last value counts.
    public init(_ elements: some Sequence<(String, Value)>) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }

    public var isEmpty: Bool { entries.isEmpty }
    public var count: Int { entries.count }
    public var names: [String] { entries.map(\.name) }
    public var values: [Value] { entries.map(\.value) }

    /// The value for exactly this name; assigning nil removes it.
    public subscript(name: String) -> Value? {
        get {
            let position = lowerBound(of: name)
            return holds(name, at: position) ? entries[position].value : nil
        }
        set {
            let position = lowerBound(of: name)
            switch (holds(name, at: position), newValue) {
            case (true, let value?): entries[position].value = value
            case (true, nil): entries.remove(at: position)
            case (false, let value?): entries.insert(Entry(name: name, value: value), at: position)
            case (false, nil): break
            }
        }
    }

    private func holds(_ name: String, at position: Int) -> Bool {
        position < entries.count && entries[position].name.isExactly(name)
    }

    private func lowerBound(of name: String) -> Int {
        // Documents arrive sorted, so appending is the common case.
        if let last = entries.last, last.name.utf8.lexicographicallyPrecedes(name.utf8) { return entries.count }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name.utf8.lexicographicallyPrecedes(name.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension NameTable: Equatable where Value: Equatable {
    public static func == (left: NameTable, right: NameTable) -> Bool {
        left.count == right.count
            && zip(left.entries, right.entries).allSatisfy { $0.name.isExactly($1.name) && $0.value == $1.value }
    }
}

extension NameTable: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements)
    }
}

extension String {
    /// Equality of the scalars, not canonical equivalence.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
