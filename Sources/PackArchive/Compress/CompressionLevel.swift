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

    /// libdeflate's level for contents that shrink to less than a sixth, such as large JSON; nil if they get no second try.
    ///
    /// There level 7 is up to 3 % larger than `zip -9`. Level 9 takes up to three times as long, for these contents only.
    var repetitiveDeflateLevel: Int32? { self == .standard ? 9 : nil }

    /// Names what compressed a content, as another version may give other bytes.
    var compressorName: String {
        "libdeflate-\(LIBDEFLATE_VERSION_STRING)-\(deflateLevel)-probed" + (self == .max ? "-zopfli" : "")
            + (repetitiveDeflateLevel.map { "-repetitive-\($0)" } ?? "")
    }
}
