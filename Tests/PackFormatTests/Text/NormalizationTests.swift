import Foundation
import TestSupport
import Testing

@testable import PackFormat

/// Both ends must agree which paths are one file, so what Linux does without Foundation's tables has to be what the standard says.
struct NormalizationTests {
    /// Assigned in a version of Unicode that all who judge here know.
    private static let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        .filter { $0.properties.age.map { ($0.major, $0.minor) <= (13, 0) } ?? false }

    @Test func `each character has the forms that Foundation gives it`() {
        for scalar in Self.scalars {
            let text = String(Character(scalar))
            let nfc = text.precomposedStringWithCanonicalMapping
            let nfkc = text.precomposedStringWithCompatibilityMapping
            if !text.canonicallyComposed.unicodeScalars.elementsEqual(nfc.unicodeScalars)
                || !text.compatiblyComposed.unicodeScalars.elementsEqual(nfkc.unicodeScalars)
            {
                Issue.record("U+\(String(scalar.value, radix: 16))")
            }
        }
    }

    #if canImport(FoundationEssentials)
        /// Not Foundation: its forms of one sequence in 2000 of these are wrong (decision 51).
        @Test func `characters beside each other have the forms that Python gives them`() throws {
            var random = SeededGenerator(seed: 15)
            let marked = Self.scalars.filter {
                $0.properties.canonicalCombiningClass != .notReordered || String($0).compatiblyComposed != String($0)
            }
            // Two marks each, of class 0.
            let doubleMarks: [Unicode.Scalar] = ["\u{F73}", "\u{F75}", "\u{F81}"]
            let texts = (0..<50_000).map { _ in
                var text = "a"
                for _ in 0..<5 {
                    let kind = Int.random(in: 0..<20, using: &random)
                    let from = kind == 0 ? doubleMarks : kind < 11 ? marked : Self.scalars
                    if let scalar = from.randomElement(using: &random) { text.unicodeScalars.append(scalar) }
                }
                return text
            }
            let judged = try Self.python(texts)
            try #require(judged.count == texts.count)
            for (text, forms) in zip(texts, judged) {
                let ours = [text.canonicallyComposed, text.compatiblyComposed].map(Self.hexadecimal)
                if ours != forms { Issue.record("\(Self.hexadecimal(text)): \(ours), not \(forms)") }
            }
        }
    #endif

    @Test func `a mark of two parts is put in order with those before it`() throws {
        let ordered = "a\u{F71}\u{F74}\u{735}"
        #expect("a\u{735}\u{F75}".canonicallyComposed.unicodeScalars.elementsEqual(ordered.unicodeScalars))
        #expect(throws: FormatError.self) { try PackagePath("a\u{735}\u{F75}") }
        #expect(try PackagePath(ordered).collisionKey == PackagePath(ordered.uppercased()).collisionKey)
    }

    private static func hexadecimal(_ text: String) -> String {
        text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }

    /// The forms NFC and NFKC of each text, in hexadecimal.
    private static func python(_ texts: [String]) throws -> [[String]] {
        let input = FileManager.default.temporaryDirectory.appendingPathComponent("forms-\(UUID().uuidString)")
        try Data(texts.map(hexadecimal).joined(separator: "\n").utf8).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            """
            import sys, unicodedata
            for line in open(sys.argv[1]):
                text = "".join(chr(int(code, 16)) for code in line.split())
                forms = (unicodedata.normalize(form, text) for form in ("NFC", "NFKC"))
                print(";".join(" ".join(f"{ord(part):x}" for part in form) for form in forms))
            """, input.path,
        ]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: ";").map(String.init) }
    }
}
