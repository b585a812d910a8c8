import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackDashboard
@testable import PackRegistryAPI

/// Whatever somebody writes into a note, a reason, a name or a report: a page has the same markup as with harmless text.
struct HostileTextTests {
    struct Broken: Error {
        let rest: String
    }

    /// Tags and comments of a document in their order, without the values of attributes. Strict: a `<` that begins no tag, or a
    /// quote that is not closed, is a fault. By bytes, as a browser reads: a combining character after a `<` hides it from nobody.
    static func markup(_ bytes: [UInt8]) throws -> [String] {
        var tags: [String] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "<") || bytes[index] == UInt8(ascii: ">") {
                let rest = bytes[index...].prefix(120)
                guard let tag = tag(in: bytes, at: &index) else {
                    throw Broken(rest: String(decoding: rest, as: UTF8.self))
                }
                tags.append(tag)
            } else {
                index += 1
            }
        }
        return tags
    }

    /// Reads a tag: its name, and the first attribute's if one has a value.
    private static func tag(in bytes: [UInt8], at index: inout Int) -> String? {
        func isNext(_ character: Unicode.Scalar) -> Bool {
            index < bytes.count && bytes[index] == UInt8(ascii: character)
        }
        func skip(_ character: Unicode.Scalar) -> Bool {
            guard isNext(character) else { return false }
            index += 1
            return true
        }
        /// A letter, then letters, digits and what else is given.
        func word(first: String = "", then: String = "") -> String? {
            let start = index
            while index < bytes.count {
                let character = Character(Unicode.Scalar(bytes[index]))
                let isLetter = character.isASCII && character.isLetter
                let isMore = index > start && (character.isASCII && character.isNumber || then.contains(character))
                guard isLetter || isMore || index == start && first.contains(character) else { break }
                index += 1
            }
            return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
        }

        guard skip("<") else { return nil }
        let slash = skip("/") ? "/" : ""
        guard let name = word(first: "!") else { return nil }
        var attributes: [String] = []
        var hasValue = false
        while skip(" ") {
            guard let attribute = word(then: "-") else { return nil }
            attributes.append(attribute)
            guard skip("=") else { continue }
            hasValue = true
            guard skip("\"") else { return nil }
            while index < bytes.count, !isNext("\""), !isNext("<"), !isNext(">") { index += 1 }
            guard skip("\"") else { return nil }
        }
        return skip(">") ? "\(slash)\(name) \(hasValue ? attributes[0] : "")" : nil
    }

    static let samples = [
        "</td></tr></table><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "<!-- ", "-->", "]]>", "<svg/onload=alert(1)>", "&lt;script&gt;", "&#60;script&#62;", "javascript:alert(1)",
        "\u{202E}txt.exe", "\u{0}\u{1}\u{1B}[2J", "<\u{0}script>", "\u{FEFF}<b>", "<\u{300}b>", "\r\nSet-Cookie: x=1",
        "</title><script>", "</textarea>", "{{7*7}}", "${x}", "\u{2028}<script>\u{2029}", "\u{85}\u{80}\u{9F}<",
    ]

    private static func random(_ generator: inout SeededGenerator) -> String {
        let parts = [
            "<", ">", "\"", "'", "&", "=", "/", "script", "on", " ", "\n", "\u{0}", "é", "\u{202E}", "-->", ";",
            "\u{9B}",
        ]
        return (0..<Int.random(in: 1...12, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
            .joined()
    }

    @Test func `no text becomes markup on any page`() throws {
        let harmless = try PageSamples("harmless").documents.map(Self.markup)
        #expect(harmless.count >= 12 && harmless.allSatisfy { $0.count > 20 })
        var generator = SeededGenerator(seed: 15)
        let texts = Self.samples + (0..<20).map { _ in Self.random(&generator) }
        for text in texts {
            let documents = try PageSamples(text).documents
            for (index, document) in documents.enumerated() {
                #expect(try Self.markup(document) == harmless[index], "\(text.debugDescription) on page \(index)")
                #expect(
                    !document.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F },
                    "\(text.debugDescription)")
            }
        }
    }

    /// The test above compares markup: it must see markup that is there.
    @Test func `the comparison of markup sees what an unescaped page would have`() throws {
        #expect(throws: (any Error).self) { try Self.markup(Array("<p>a < b</p>".utf8)) }
        #expect(throws: (any Error).self) { try Self.markup(Array("<p>a <\u{300}b</p>".utf8)) }
        #expect(throws: (any Error).self) { try Self.markup(Array("<p>a > b</p>".utf8)) }
        #expect(throws: (any Error).self) { try Self.markup(Array("<!-- a -->".utf8)) }
        #expect(
            try Self.markup(Array(#"<!doctype html><p class="a b" data-x>c</p>"#.utf8)) == [
                "!doctype ", "p class", "/p ",
            ])
        #expect(try Self.markup(Array("<p>a</p>".utf8)) != Self.markup(Array("<p><b>a</b></p>".utf8)))
        #expect(throws: (any Error).self) { try Self.markup(Array(#"<p title=""x">a</p>"#.utf8)) }
        let page = String(decoding: try PageSamples("<script>").documents[0], as: UTF8.self)
        #expect(page.contains("&lt;script&gt;"))
    }

    @Test func `every page stays below 100 kB, with many packages and long texts too`() throws {
        let long = String(repeating: "\"<long & hostile>\" ", count: 40)
        let pages = try PageSamples(long, packageCount: 2_000, versionCount: 400).documents
        for (index, page) in pages.enumerated() { #expect(page.count < 100_000, "page \(index): \(page.count) bytes") }
    }
}
