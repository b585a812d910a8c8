import Foundation
import Testing

@testable import PackFormat

/// Both ends must agree which paths are one file, so what devices do without Foundation's tables has to be what these say.
struct NormalizationTests {
    /// Assigned, as both know it: the versions of Unicode differ in what is new.
    private static let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        .filter { $0.properties.age.map { ($0.major, $0.minor) <= (15, 1) } ?? false }

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

    @Test func `characters beside each other have the forms that Foundation gives them`() {
        var random = SystemRandomNumberGenerator()
        let marked = Self.scalars.filter {
            $0.properties.canonicalCombiningClass != .notReordered || String($0).compatiblyComposed != String($0)
        }
        for _ in 0..<50_000 {
            var text = "a"
            for _ in 0..<5 {
                let from = Bool.random(using: &random) ? marked : Self.scalars
                if let scalar = from.randomElement(using: &random) { text.unicodeScalars.append(scalar) }
            }
            let nfc = text.precomposedStringWithCanonicalMapping
            let nfkc = text.precomposedStringWithCompatibilityMapping
            #expect(text.canonicallyComposed.utf8.elementsEqual(nfc.utf8), "\(text.unicodeScalars.map { $0.value })")
            #expect(text.compatiblyComposed.utf8.elementsEqual(nfkc.utf8), "\(text.unicodeScalars.map { $0.value })")
        }
    }
}
