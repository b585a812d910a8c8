import CDeflate

/// How hard content is compressed: time against size.
package enum CompressionLevel: String, CaseIterable, Sendable {
    /// About a third of the time of `zip -9`, about its size on large text.
    case fast
    /// Smaller than `zip -9` in less time. The default.
    case standard
    /// Smaller than `7z -mx9` in a third of its time.
    case max

    /// libdeflate's level.
    var deflateLevel: Int32 {
        switch self {
        case .fast: 6
        case .standard: 9
        case .max: 12
        }
    }

    /// Names what compressed a content, as another version may give other bytes.
    var compressorName: String { "libdeflate-\(LIBDEFLATE_VERSION_STRING)-\(deflateLevel)" }
}
