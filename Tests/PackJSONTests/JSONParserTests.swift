import PackJSON
import Testing

struct JSONParserTests {
    @Test(arguments: [
        "{\"a\":1,\"a\":2}", "1.0", "1e3", "01", "-", "\"\\ud800\"", "\"\\udc00x\"", "\"\\ud800\\u0041\"", "[1,]",
        "{\"a\":1,}", "// x\n1", "\"\u{01}\"", "", "[", "{\"a\"", "nul", "1 2", "\u{FEFF}1", "9223372036854775808",
        "-9223372036854775809", "99999999999999999999", "-92233720368547758080",
    ])
    func `text outside the strict grammar is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test(arguments: [0, 7, -1, Int.max, Int.min, Int.max - 9, Int.min + 9])
    func `an integer is read to the last digit`(number: Int) throws {
        #expect(try JSONValue(parsing: "\(number)") == .integer(number))
    }

    @Test func `invalid UTF-8 is refused`() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xC0, 0xAF, 0x22]) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test func `nesting deeper than the limit is refused`() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test func `keys that are canonically equivalent stay two keys`() throws {
        let value = try JSONValue(parsing: "{\"e\u{301}\":1,\"\u{E9}\":2}").object()
        #expect(value.members.count == 2)
        #expect(value["\u{E9}"] == 2)
        #expect(value["e\u{301}"] == 1)
    }

    @Test func `canonical bytes order keys by code point and escape only quotes and backslashes`() throws {
        let value = try JSONValue(parsing: "{ \"\u{1F600}\": [true, null], \"\u{FF5E}\": \"\\u0007\\\"\\\\\" }")
        #expect(value.canonicalBytes == Array("{\"\u{FF5E}\":\"\u{07}\\\"\\\\\",\"\u{1F600}\":[true,null]}".utf8))
    }

    @Test func `comments and trailing commas are read where people write`() throws {
        let value = try JSONValue(
            parsing: "{ // name\n \"a\": [1, 2,], /* b */ }", options: .init(allowsComments: true))
        #expect(try value.object().array("a") == [1, 2])
    }

    @Test func `a document of more values than are allowed is refused before they are in memory`() throws {
        var options = JSONValue.ParseOptions()
        options.maximumValueCount = 4
        #expect(throws: Never.self) { try JSONValue(parsing: "[1, {\"a\": 2}]", options: options) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[1, {\"a\": [2]}]", options: options) }
        #expect(JSONValue.ParseOptions().maximumValueCount >= 5 * 200_000)
    }

    @Test func `an error names the line and the column`() {
        #expect(throws: JSONError.syntax(line: 2, column: 3, reason: "a value cannot start here")) {
            try JSONValue(parsing: "[\n  x]")
        }
    }
}
