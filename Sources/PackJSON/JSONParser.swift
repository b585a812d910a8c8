extension JSONValue {
    /// What a parser accepts beyond RFC 8259, and how deeply nested.
    package struct ParseOptions: Sendable {
        /// Whether `//` and `/* */` comments and trailing commas are accepted, for files that people write.
        package var allowsComments = false
        /// The largest number of nested arrays and objects.
        package var maximumDepth = 64
        /// The largest number of values in the whole document: `[0,0,…]` takes two bytes a value, and 24 in memory.
        package var maximumValueCount = 2_000_000

        package init(allowsComments: Bool = false, maximumDepth: Int = 64) {
            self.allowsComments = allowsComments
            self.maximumDepth = maximumDepth
        }
    }

    /// Parses one JSON document (RFC 8259) and nothing after it.
    ///
    /// Refused besides bad grammar: duplicate keys, numbers with a fraction or exponent or beyond 64 bits,
    /// invalid UTF-8, lone surrogates, a byte order mark, nesting deeper than the limit.
    package init(parsing bytes: some Sequence<UInt8>, options: ParseOptions = ParseOptions()) throws(JSONError) {
        var parser = JSONParser(bytes: ContiguousArray(bytes), options: options)
        do {
            self = try parser.document()
        } catch {
            throw parser.located(error)
        }
    }

    /// Parses one JSON document from a string; see ``init(parsing:options:)``.
    package init(parsing text: String, options: ParseOptions = ParseOptions()) throws(JSONError) {
        try self.init(parsing: text.utf8, options: options)
    }
}

struct JSONParser {
    struct Fault: Error {
        let reason: String
        var offset: Int
    }

    let bytes: ContiguousArray<UInt8>
    let options: JSONValue.ParseOptions
    private var position = 0
    private var valueCount = 0

    init(bytes: ContiguousArray<UInt8>, options: JSONValue.ParseOptions) {
        self.bytes = bytes
        self.options = options
    }

    func located(_ fault: Fault) -> JSONError {
        let before = bytes.prefix(fault.offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return .syntax(line: line, column: fault.offset - lineStart + 1, reason: fault.reason)
    }

    mutating func document() throws(Fault) -> JSONValue {
        try skipBlank()
        let value = try value(depth: 0)
        try skipBlank()
        guard position == bytes.count else { throw fault("unexpected text after the document") }
        return value
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ reason: String) -> Fault { Fault(reason: reason, offset: position) }

    private mutating func value(depth: Int) throws(Fault) -> JSONValue {
        guard let byte = current else { throw fault("the text ends where a value is expected") }
        valueCount += 1
        guard valueCount <= options.maximumValueCount else {
            throw fault("it has more than \(options.maximumValueCount) values")
        }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .integer(try integer())
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default: throw fault("a value cannot start here")
        }
    }

    private mutating func word(_ expected: StaticString) throws(Fault) {
        let count = expected.utf8CodeUnitCount
        let matches =
            position + count <= bytes.count
            && UnsafeBufferPointer(start: expected.utf8Start, count: count).elementsEqual(
                bytes[position..<position + count])
        guard matches else { throw fault("\(expected) is expected here") }
        position += count
    }

    private mutating func object(depth: Int) throws(Fault) -> JSONObject {
        try enter(depth)
        var members: [JSONObject.Member] = []
        try skipBlank()
        while current != UInt8(ascii: "}") {
            guard current == UInt8(ascii: "\"") else { throw fault("a key in double quotes or } is expected here") }
            let offset = position
            let key = try string()
            try skipBlank()
            guard current == UInt8(ascii: ":") else { throw fault(": is expected after a key") }
            position += 1
            try skipBlank()
            members.append(.init(key: key, value: try value(depth: depth), offset: offset))
            guard try separator(before: UInt8(ascii: "}")) else { break }
        }
        position += 1
        var duplicate: JSONObject.Member?
        let object = JSONObject(read: members, duplicate: &duplicate)
        if let duplicate {
            throw Fault(reason: "the key \"\(duplicate.key)\" stands twice", offset: duplicate.offset ?? position)
        }
        return object
    }

    private mutating func array(depth: Int) throws(Fault) -> [JSONValue] {
        try enter(depth)
        var elements: [JSONValue] = []
        try skipBlank()
        while current != UInt8(ascii: "]") {
            elements.append(try value(depth: depth))
            guard try separator(before: UInt8(ascii: "]")) else { break }
        }
        position += 1
        return elements
    }

    private mutating func enter(_ depth: Int) throws(Fault) {
        guard depth <= options.maximumDepth else { throw fault("nested deeper than \(options.maximumDepth) levels") }
        position += 1
    }

    /// Passes a comma and says that an element must follow, or stops at the closing bracket.
    private mutating func separator(before close: UInt8) throws(Fault) -> Bool {
        try skipBlank()
        if current == close { return false }
        guard current == UInt8(ascii: ",") else {
            throw fault("\",\" or \"\(Character(Unicode.Scalar(close)))\" is expected here")
        }
        position += 1
        try skipBlank()
        if current == close {
            guard options.allowsComments else { throw fault("a comma before the closing bracket") }
            return false
        }
        return true
    }

    private mutating func integer() throws(Fault) -> Int {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let digits = position
        while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > digits else { throw fault("a digit is expected here") }
        if bytes[digits] == UInt8(ascii: "0"), position - digits > 1 {
            throw Fault(reason: "a number cannot start with 0", offset: digits)
        }
        if let byte = current, [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains(byte) {
            throw Fault(reason: "only integers are allowed, no fractions or exponents", offset: start)
        }
        let isNegative = digits > start
        var value = 0
        for byte in bytes[digits..<position] {
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let digit = Int(byte - UInt8(ascii: "0"))
            // Downwards for a negative number: the lowest one has no positive counterpart.
            let (sum, isBeyond) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            if isTooLarge || isBeyond { throw Fault(reason: "the integer does not fit in 64 bits", offset: start) }
            value = sum
        }
        return value
    }

    private mutating func string() throws(Fault) -> String {
        let start = position
        position += 1
        let first = position
        var union: UInt8 = 0
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            union |= byte
            position += 1
        }
        if current == UInt8(ascii: "\"") {
            let slice = bytes[first..<position]
            // Almost all strings are ASCII, of which nothing has to be checked.
            let text = union < 0x80 ? String(decoding: slice, as: UTF8.self) : try validated(slice, offset: first)
            position += 1
            return text
        }
        var content = ContiguousArray(bytes[first..<position])
        while true {
            guard let byte = current else {
                throw Fault(reason: "the string that starts here does not end", offset: start)
            }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try validated(content[...], offset: first)
            case UInt8(ascii: "\\"):
                content.append(contentsOf: String(Character(try escape())).utf8)
            case 0..<0x20:
                throw fault("a control character must be escaped")
            default:
                content.append(byte)
                position += 1
            }
        }
    }

    private func validated(_ slice: ArraySlice<UInt8>, offset: Int) throws(Fault) -> String {
        guard let text = String(validUTF8: slice) else {
            throw Fault(reason: "the string is not valid UTF-8", offset: offset)
        }
        return text
    }

    private mutating func escape() throws(Fault) -> Unicode.Scalar {
        let start = position
        position += 1
        guard let byte = current else { throw fault("the text ends inside an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard unit < 0xDC00, current == UInt8(ascii: "\\") else {
                throw Fault(reason: "a lone surrogate", offset: start)
            }
            position += 1
            guard current == UInt8(ascii: "u") else { throw Fault(reason: "a lone surrogate", offset: start) }
            position += 1
            let low = try codeUnit()
            guard (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
            else { throw Fault(reason: "a lone surrogate", offset: start) }
            return scalar
        default:
            throw Fault(reason: "an unknown escape", offset: start)
        }
    }

    private mutating func codeUnit() throws(Fault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw fault("four hexadecimal digits are expected after \\u")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private mutating func skipBlank() throws(Fault) {
        while let byte = current {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "/") where options.allowsComments:
                try skipComment()
            default:
                return
            }
        }
    }

    private mutating func skipComment() throws(Fault) {
        let start = position
        position += 1
        switch current {
        case UInt8(ascii: "/"):
            while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
        case UInt8(ascii: "*"):
            position += 1
            while position + 1 < bytes.count {
                if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
                    position += 2
                    return
                }
                position += 1
            }
            throw Fault(reason: "the comment that starts here does not end", offset: start)
        default:
            throw Fault(reason: "a value cannot start here", offset: start)
        }
    }
}
