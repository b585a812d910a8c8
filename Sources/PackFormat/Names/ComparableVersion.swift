/// A version that ranges can compare.
public protocol ComparableVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
    init(_ text: String) throws(FormatError)
}

extension SemanticVersion: ComparableVersion {}
