package import PackFormat

/// What devices said lately that they have and are, by each fact. It is a population of `packtool simulate` as it is.
package struct ReportPopulation: Hashable, Sendable {
    /// The values of a fact that are kept. The rarer ones count as not known, and rarer versions as the most frequent one.
    package static let maximumValueCount = 200
    /// How a population calls what is not known.
    package static let unknown = "none"

    /// How many devices have each value; nil: not known.
    package typealias Counts = [String?: Int]

    /// At least so many devices: those of a package, or of all values of a fact, whichever are more.
    package var devices = 0
    package var platforms: Counts = [:]
    package var appVersions: Counts = [:]
    package var osVersions: Counts = [:]
    package var versions: [PackageID: [SemanticVersion: Int]] = [:]

    package init() {}

    /// The values of a fact, those first that most devices have.
    package static func ordered(_ counts: Counts) -> [(value: String?, devices: Int)] {
        counts.map { ($0.key, $0.value) }.sorted { ($1.devices, $0.value ?? "") < ($0.devices, $1.value ?? "") }
    }
}
