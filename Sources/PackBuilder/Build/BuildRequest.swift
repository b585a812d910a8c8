package import Foundation
package import PackArchive
package import PackFormat

/// What a build is asked for: the flags of `packtool build`. What is nil comes from the configuration.
package struct BuildRequest: Sendable {
    package var dists: [URL]
    /// One id for each dist, or none.
    package var packages: [String] = []
    /// One version for each dist, one for all, or none.
    package var versions: [String] = []
    package var entry: String?
    package var requiredApp: String?
    /// Where the web build expects to be mounted, for all dists; `/` for nowhere else.
    package var base: String?
    /// Appended to each version: `ci.17` makes 1.4.0-ci.17 of 1.4.0.
    package var prerelease: String?
    /// What is published already, for ``prerelease``: a prerelease of a published version would be older than that, so it
    /// becomes one of the patch after it.
    package var published: [PackageID: Set<SemanticVersion>] = [:]
    package var allowsSecrets = false
    /// Whether a folder may be a whole project.
    package var allowsProjects = false
    /// By package the keys of the findings that are known: what is not among them is an error. Packages that are not
    /// here are judged as always.
    package var known: [PackageID: Set<String>] = [:]
    /// Whether files that several packages have go to the shared bundle.
    package var sharesAutomatically: Bool?
    package var out: URL?
    package var isStrict = false
    package var compression: CompressionLevel?
    /// Nil compresses everything anew.
    package var cache: CompressionCache?
    package var limits = ArchiveLimits.standard

    package init(dists: [URL]) {
        self.dists = dists
    }
}
