package import Foundation
package import PackFormat

/// What a registry holds, for people and reports.
package struct RegistryOverview: Hashable, Sendable {
    package struct Version: Hashable, Sendable {
        package let version: SemanticVersion
        package let manifest: Digest
        package let published: Date
        package let publishedBy: String
        package let fileCount: Int
        /// Bytes of all own files.
        package let size: Int
        /// Bytes of `full(B)`; nil while it is being made.
        package let fullSize: Int?
        /// Bytes of the package zip; nil while it is being made.
        package let archiveSize: Int?
        /// The reason, where the publisher withdrew it.
        package let withdrawn: String?

        package init(
            version: SemanticVersion, manifest: Digest, published: Date, publishedBy: String, fileCount: Int,
            size: Int, fullSize: Int?, archiveSize: Int?, withdrawn: String?
        ) {
            self.version = version
            self.manifest = manifest
            self.published = published
            self.publishedBy = publishedBy
            self.fileCount = fileCount
            self.size = size
            self.fullSize = fullSize
            self.archiveSize = archiveSize
            self.withdrawn = withdrawn
        }
    }

    package let app: String
    /// Newest publication first.
    package let versions: [PackageID: [Version]]
    /// What each channel offers, newest first.
    package let channels: [ChannelName: [PackageID: [Release]]]
    /// What devices go to when the newest release for everyone is no longer offered; nothing where there is none.
    package let earlier: [ChannelName: [PackageID: Release]]

    package init(
        app: String, versions: [PackageID: [Version]], channels: [ChannelName: [PackageID: [Release]]],
        earlier: [ChannelName: [PackageID: Release]] = [:]
    ) {
        self.app = app
        self.versions = versions
        self.channels = channels
        self.earlier = earlier
    }
}
