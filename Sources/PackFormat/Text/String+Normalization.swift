#if canImport(FoundationEssentials)
    // FoundationEssentials has no forms. Foundation's own are wrong for some sequences of marks (decision 51); these are the
    // standard's.
    @_spi(_Unicode) import Swift

    extension String {
        /// The text in Unicode form NFC (UAX 15).
        package var canonicallyComposed: String {
            var decomposed = UnicodeScalarView()
            for scalar in unicodeScalars {
                if let marks = Self.doubleMarks[scalar] {
                    decomposed.append(contentsOf: marks)
                } else {
                    decomposed.append(scalar)
                }
            }
            var composed = UnicodeScalarView()
            for scalar in String(decomposed)._nfc { composed.append(scalar) }
            return String(composed)
        }

        /// The text in Unicode form NFKC (UAX 15): each character's compatibility decomposition, then form NFC, which
        /// decomposes the rest, orders and composes.
        package var compatiblyComposed: String {
            var decomposed = UnicodeScalarView()
            for scalar in unicodeScalars {
                if let parts = Self.compatibility[scalar] {
                    decomposed.append(contentsOf: parts)
                } else {
                    decomposed.append(scalar)
                }
            }
            return String(decomposed).canonicallyComposed
        }

        /// The characters of class 0 that are two marks. The standard library (Swift 6.3) does not order these among the marks
        /// before them.
        private static let doubleMarks: [Unicode.Scalar: [Unicode.Scalar]] = [
            "\u{F73}": ["\u{F71}", "\u{F72}"], "\u{F75}": ["\u{F71}", "\u{F74}"], "\u{F81}": ["\u{F71}", "\u{F80}"],
        ]

        private static let compatibility: [Unicode.Scalar: [Unicode.Scalar]] = {
            var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
            for entry in CompatibilityTable.text.utf8.split(separator: UInt8(ascii: ";")) {
                let parts = entry.split(whereSeparator: { $0 <= UInt8(ascii: " ") })
                let scalars = parts.compactMap { UInt32(Substring($0), radix: 16).flatMap(Unicode.Scalar.init) }
                if let first = scalars.first { table[first] = Array(scalars.dropFirst()) }
            }
            return table
        }()
    }
#else
    import Foundation

    extension String {
        /// The text in Unicode form NFC (UAX 15).
        package var canonicallyComposed: String { precomposedStringWithCanonicalMapping }
        /// The text in Unicode form NFKC (UAX 15).
        package var compatiblyComposed: String { precomposedStringWithCompatibilityMapping }
    }
#endif
