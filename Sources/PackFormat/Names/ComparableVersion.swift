/// A version of something that ranges compare.
public protocol ComparableVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
    init(_ text: String) throws(FormatError)
}

extension SemanticVersion: ComparableVersion {}
