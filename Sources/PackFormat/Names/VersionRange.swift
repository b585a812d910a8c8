/// The app versions that a package requires.
public typealias VersionRange = ComparisonRange<SemanticVersion>

/// The versions of an app or operating system that a rollout requires.
public typealias AppVersionRange = ComparisonRange<AppVersion>

/// Comparisons that must all hold, such as `>=3.2.0 <5.0.0`.
public struct ComparisonRange<Version: ComparableVersion>: Hashable, Sendable, CustomStringConvertible {
    private enum Comparison: String, CaseIterable {
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
        case equal = "="
    }

    private struct Bound: Hashable {
        let comparison: Comparison
        let version: Version
    }

    private let bounds: [Bound]

    /// - Throws: ``FormatError/invalidVersionRange(_:)``
    public init(_ text: String) throws(FormatError) {
        var bounds: [Bound] = []
        for word in text.split(separator: " ") {
            let comparison = Comparison.allCases.first { word.hasPrefix($0.rawValue) }
            guard let version = try? Version(String(word.dropFirst(comparison?.rawValue.count ?? 0))) else {
                throw .invalidVersionRange(text)
            }
            bounds.append(Bound(comparison: comparison ?? .equal, version: version))
        }
        guard !bounds.isEmpty else { throw .invalidVersionRange(text) }
        self.bounds = bounds
    }

    public func contains(_ version: Version) -> Bool {
        bounds.allSatisfy { bound in
            switch bound.comparison {
            case .atLeast: !(version < bound.version)
            case .atMost: !(bound.version < version)
            case .above: bound.version < version
            case .below: version < bound.version
            case .equal: !(version < bound.version) && !(bound.version < version)
            }
        }
    }

    /// Whether a version can be in both ranges.
    public func overlaps(_ other: ComparisonRange) -> Bool {
        let all = bounds + other.bounds
        let lower = all.filter { [.atLeast, .above, .equal].contains($0.comparison) }
        let upper = all.filter { [.atMost, .below, .equal].contains($0.comparison) }
        return lower.allSatisfy { low in
            upper.allSatisfy { high in
                let isOpen = low.comparison == .above || high.comparison == .below
                return low.version < high.version || !isOpen && !(high.version < low.version)
            }
        }
    }

    /// What all of some ranges contain; nil for none of them, which asks for nothing.
    package static func intersection(of ranges: [ComparisonRange]) throws(FormatError) -> ComparisonRange? {
        var words: [String] = []
        for word in ranges.flatMap({ $0.description.split(separator: " ") }).map(String.init)
        where !words.contains(word) {
            words.append(word)
        }
        return words.isEmpty ? nil : try ComparisonRange(words.joined(separator: " "))
    }

    public var description: String {
        bounds.map { $0.comparison.rawValue + $0.version.description }.joined(separator: " ")
    }
}
