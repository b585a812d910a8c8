import Foundation
import TestSupport
import Testing

@testable import PackTrust

struct PathPatternTests {
    @Test(arguments: [
        ("*", "a", true), ("*", "", true), ("*", "a/b", false), ("*/*", "a/b", true), ("*/*", "a/b/c", false),
        ("a/*", "a/b", true), ("a/*", "a/", true), ("a/*", "a", false), ("a/*", "A/b", false), ("?", "a", true),
        ("?", "", false), ("?", "/", false), ("?", "\u{1F600}", true), ("a?c", "abc", true), ("a?c", "a/c", false),
        ("*.tgz", "foo.tgz", true), ("*.tgz", "foo.tgz.sig", false), ("f*o*.t", "foo.t", true),
        ("a*b*c", "aXbYbZc", true), ("[ab]", "a", false), ("[ab]", "[ab]", true), ("a\\*", "a*", false),
        ("caf\u{E9}", "cafe\u{301}", false), ("manifests/checkout/*", "manifests/checkout/1.4.0.json", true),
        ("manifests/checkout/*", "manifests/checkout2/1.4.0.json", false), ("", "", true), ("", "a", false),
        ("*", "/", false), ("**", "ab", true), ("*a", "aaa", true), ("*/b*", "a/b", true), ("*b", "a/b", false),
    ])
    func `a pattern matches within one folder level`(pattern: String, path: String, matches: Bool) {
        #expect(TargetPathPattern(pattern).matches(path) == matches)
    }

    @Test func `a pattern made to take for ever does not`() {
        let pattern = String(repeating: "*a", count: 2_000) + "b"
        #expect(TargetPathPattern(pattern).matches(String(repeating: "a", count: 4_000)) == false)
    }
}

struct MetadataDateTests {
    @Test func `dates of all years are written and read back`() {
        var days = -719_162
        while days < 2_932_896 {
            let date = Date(timeIntervalSince1970: Double(days) * 86_400 + Double(abs(days) % 86_400))
            let text = MetadataDate.text(of: date)
            #expect(MetadataDate.date(from: text) == date, "\(text)")
            days += 997
        }
    }

    @Test func `dates agree with Foundation's calendar`() {
        let formatter = ISO8601DateFormatter()
        for seconds in stride(from: 0.0, to: 4_102_444_800, by: 7_777_777) {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(MetadataDate.text(of: date) == formatter.string(from: date))
        }
    }

    @Test func `a date that four digits cannot write is written as the nearest one`() {
        #expect(MetadataDate.text(of: .distantFuture + 1e13) == "9999-12-31T23:59:59Z")
        #expect(MetadataDate.text(of: Date(timeIntervalSince1970: -1e15)) == "0001-01-01T00:00:00Z")
    }
}

struct NameTableTests {
    @Test func `names that are canonically equivalent stay apart`() {
        var table: NameTable<Int> = ["e\u{301}": 1, "\u{E9}": 2]
        #expect(table.count == 2)
        #expect(table["\u{E9}"] == 2)
        #expect(table["e\u{301}"] == 1)
        table["\u{E9}"] = nil
        #expect(table.names.map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
    }

    @Test func `a table behaves like a dictionary of bytes`() {
        var table: NameTable<Int> = [:]
        var model: [[UInt8]: Int] = [:]
        var generator = SeededGenerator(seed: 7)
        for step in 0..<2_000 {
            let name = String(
                (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                    "ab\u{E9}".randomElement(using: &generator) ?? "a"
                })
            let value = Bool.random(using: &generator) ? step : nil
            table[name] = value
            model[Array(name.utf8)] = value
        }
        #expect(table.count == model.count)
        for (name, value) in model { #expect(table[String(decoding: name, as: UTF8.self)] == value) }
        #expect(table.names.map { Array($0.utf8) } == model.keys.sorted { $0.lexicographicallyPrecedes($1) })
    }
}
