package import PackFormat

/// What devices said lately that they have and are, by each fact. It is a population of `packtool simulate` as it is.
package struct ReportPopulation: Hashable, Sendable {
    /// The values of a fact that are kept; the rarer ones count as not known.
    package static let maximumValueCount = 200
    /// How a population calls what is not known.
    package static let unknown = "none"

    /// How many devices have each value; nil: not known.
    package typealias Counts = [String?: Int]

    /// Devices of the package that most of them have.
    package var devices = 0
    package var platforms: Counts = [:]
    package var appVersions: Counts = [:]
    package var osVersions: Counts = [:]
    package var versions: [PackageID: [SemanticVersion: Int]] = [:]

    package init() {}
}
