import CDeflate

/// How much time compression may take to reduce the size.
package enum CompressionLevel: String, CaseIterable, Sendable {
    /// For repeated builds at a desk: a few percent larger than `zip -9`.
    case fast
    /// Not larger than `zip -9`, at half of its CPU time. The default.
    case standard
    /// Smaller than `7z -mx9`, in about its time.
    case max

    /// libdeflate's level.
    var deflateLevel: Int32 {
        switch self {
        case .fast: 4
        // 8 costs half as much again and saves another half of a percent: then zip -9 is no longer beaten by far.
        case .standard: 7
        case .max: 12
        }
    }

    /// Names what compressed a content, as another version may give other bytes.
    var compressorName: String {
        "libdeflate-\(LIBDEFLATE_VERSION_STRING)-\(deflateLevel)-probed" + (self == .max ? "-zopfli" : "")
    }
}
