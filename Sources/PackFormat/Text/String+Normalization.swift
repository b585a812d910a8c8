#if canImport(FoundationEssentials)
    // Foundation's own normalization does the same; FoundationEssentials, which has no tables of its own, has none.
    @_spi(_Unicode) import Swift

    extension String {
        /// The text in Unicode form NFC (UAX 15).
        package var canonicallyComposed: String {
            var composed = UnicodeScalarView()
            for scalar in _nfc { composed.append(scalar) }
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
