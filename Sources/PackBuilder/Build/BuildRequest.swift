package import Foundation
package import PackArchive

/// What a build is asked for: the flags of `packtool build`. What is nil comes from the configuration.
package struct BuildRequest: Sendable {
    package var dists: [URL]
    /// One id for each dist, or none.
    package var packages: [String] = []
    /// One version for each dist, one for all, or none.
    package var versions: [String] = []
    package var entry: String?
    package var requiredApp: String?
    /// Where the web build expects to be mounted, for all dists.
    package var base: String?
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
