package import Foundation
package import PackArchive
package import PackFormat

/// The parameters of a build: the flags of `packtool build`. A nil value comes from the configuration.
package struct BuildRequest: Sendable {
    package var dists: [URL]
    /// One id for each dist, or empty.
    package var packages: [PackageID] = []
    /// One version for each dist, one for all, or empty.
    package var versions: [SemanticVersion] = []
    package var entry: PackagePath?
    package var requiredApp: VersionRange?
    /// Where the web build expects to be mounted, for all dists; `/` means nowhere else.
    package var base: BaseSetting?
    /// A suffix for each version: `ci.17` turns 1.4.0 into 1.4.0-ci.17.
    package var prerelease: PrereleaseWords?
    /// The published versions, for ``prerelease``. A prerelease of a published version would be older than that
    /// version, so it becomes one of the next patch version.
    package var published: [PackageID: Set<SemanticVersion>] = [:]
    package var allowsSecrets = false
    /// Whether a dist folder may be a whole project.
    package var allowsProjects = false
    /// The keys of known findings, by package. Any other finding is an error. Packages that are missing here are
    /// judged as always.
    package var known: [PackageID: Set<String>] = [:]
    /// Whether files that several packages have in common go to the shared bundle.
    package var sharesAutomatically: Bool?
    package var out: URL?
    package var isStrict = false
    package var compression: CompressionLevel?
    /// The compression cache; nil compresses everything anew.
    package var cache: CompressionCache?
    package var limits = ArchiveLimits.standard
    /// In place of every configuration, and of each `package.json`, that is found beside or above the dists. Ids and versions
    /// are given then.
    package var configuration: PackConfiguration?
    /// In place of the rules by which files are left out.
    package var rules: PathRules?

    package init(dists: [URL]) {
        self.dists = dists
    }
}
