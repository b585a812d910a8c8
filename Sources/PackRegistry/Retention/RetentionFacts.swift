package import Foundation
package import PackFormat

/// What decides which versions keep their files, from one consistent read.
package struct RetentionFacts: Sendable {
    package struct Version: Hashable, Sendable {
        package let name: VersionName
        package let manifest: Digest
        /// Or uploaded again, after it had lost its files.
        package let published: Date
        package let isWithdrawn: Bool
        /// Whether its files were removed before.
        package let isPruned: Bool

        package init(name: VersionName, manifest: Digest, published: Date, isWithdrawn: Bool, isPruned: Bool) {
            self.name = name
            self.manifest = manifest
            self.published = published
            self.isWithdrawn = isWithdrawn
            self.isPruned = isPruned
        }
    }

    /// The oldest publication first.
    package var versions: [Version] = []
    /// The releases of each package on each channel.
    package var histories: [ReleaseHistory] = []
    /// When the share or the audience of a release changed last, by its id; none: it has them since it was made.
    package var changed: [String: Date] = [:]
    /// The manifests of the shared bundles that a version pins.
    package var bundles: [Digest: Set<Digest>] = [:]
    /// The versions that devices reported to have since the last days that count.
    package var onDevices: Set<VersionName> = []

    package init() {}
}
