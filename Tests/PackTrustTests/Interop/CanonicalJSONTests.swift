import Foundation
import PackJSON
import PackTrust
import TestSupport
import Testing

/// Our parser and canonical encoder against those by which the rest of the TUF world signs.
struct CanonicalJSONTests {
    @Test func `random documents have the same canonical bytes as in securesystemslib`() throws {
        let isLong = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] != nil
        let count = isLong ? 100_000 : 2_000
        var documents = RandomDocuments(seed: 20_261_121)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("documents-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        var text: [UInt8] = []
        var ours: [String] = []
        for index in 0..<count {
            let value = documents.value(depth: index.isMultiple(of: 100) ? 50 : 6)
            let line = documents.text(of: value)
            let parsed = try JSONValue(parsing: line)
            #expect(parsed == value, "\(line)")
            ours.append(FileHashes(of: parsed.canonicalBytes).sha256 ?? "")
            text += Array(line.utf8) + [UInt8(ascii: "\n")]
        }
        try Data(text).write(to: file)
        let result = try PythonTools.run("canonical_json.py", file.path)
        try #require(result.status == 0, "\(result.errors)")
        let theirs = result.output.split(separator: "\n").map(String.init)
        #expect(theirs.count == count)
        let differing = zip(ours, theirs).enumerated().filter { $0.element.0 != $0.element.1 }
        #expect(differing.isEmpty, "document \(differing.first?.offset ?? 0) of seed 20261121 differs")
    }
}

/// Documents with everything that JSON can hold here, written in all the ways that it can be written.
struct RandomDocuments {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func value(depth: Int) -> JSONValue {
        switch number(0..<(depth > 0 ? 10 : 6)) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int.random(in: -1_000...1_000, using: &generator))
        case 3: return .integer(Int.random(in: Int.min...Int.max, using: &generator))
        case 4, 5: return .string(string())
        case 6, 7:
            return .array((0..<number(0..<(depth > 10 ? 2 : 5))).map { _ in value(depth: depth - 1) })
        default:
            return .object(
                JSONObject((0..<number(0..<(depth > 10 ? 2 : 6))).map { _ in (string(), value(depth: depth - 1)) }))
        }
    }

    private static let ranges: [ClosedRange<UInt32>] = [
        0...0x1F, 0x20...0x7E, 0x20...0x7E, 0x7F...0xFF, 0x300...0x36F, 0x7FE...0x801, 0x2028...0x2029, 0x1100...0x11FF,
        0x4E00...0x4EFF, 0xD7FF...0xD7FF, 0xE000...0xE001, 0xFE00...0xFFFF, 0x10000...0x10001, 0x1F600...0x1F64F,
        0x10FFFE...0x10FFFF,
    ]

    private mutating func string() -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<number(0..<9) {
            let range = Self.ranges[number(0..<Self.ranges.count)]
            let choice = number(0..<8)
            if choice == 0 { scalars.append("\"") } else if choice == 1 { scalars.append("\\") }
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    /// The value in RFC 8259 text: keys in any order, white space anywhere, characters as themselves or escaped.
    mutating func text(of value: JSONValue) -> String {
        switch value {
        case .null: return "null"
        case .bool(let bool): return bool ? "true" : "false"
        case .integer(let integer): return "\(integer)"
        case .string(let string): return text(of: string)
        case .array(let elements):
            let inner = elements.map { blank() + text(of: $0) + blank() }.joined(separator: ",")
            return "[\(inner.isEmpty ? blank() : inner)]"
        case .object(let object):
            let inner = object.members.shuffled(using: &generator).map {
                blank() + text(of: $0.key) + blank() + ":" + blank() + text(of: $0.value) + blank()
            }.joined(separator: ",")
            return "{\(inner.isEmpty ? blank() : inner)}"
        }
    }

    private mutating func text(of string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch (scalar, number(0..<5)) {
            case ("\"", 1...): text += "\\\""
            case ("\\", 1...): text += "\\\\"
            case ("/", 1...2): text += "\\/"
            case ("\n", 1...): text += "\\n"
            case ("\t", 1...): text += "\\t"
            case ("\r", 1...): text += "\\r"
            case ("\u{8}", 1...): text += "\\b"
            case ("\u{C}", 1...): text += "\\f"
            case ("\"", _), ("\\", _), ("\u{0}"..."\u{1F}", _), (_, 0):
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    private mutating func blank() -> String {
        ["", "", "", " ", "\t", "\r", "  "][number(0..<7)]
    }

    private mutating func number(_ range: Range<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }
}
