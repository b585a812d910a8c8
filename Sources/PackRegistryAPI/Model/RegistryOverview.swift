package import Foundation
package import PackFormat

/// The content of a registry, for people and reports.
package struct RegistryOverview: Hashable, Sendable {
    package struct Version: Hashable, Sendable {
        package let version: SemanticVersion
        package let manifest: Digest
        package let published: Date
        package let publishedBy: String
        package let fileCount: Int
        /// The size of all own files in bytes.
        package let size: Int
        /// The size of `full(B)` in bytes; nil while it is being made.
        package let fullSize: Int?
        /// The size of the package zip in bytes; nil while it is being made.
        package let archiveSize: Int?
        /// The publisher's reason for withdrawing the version; nil if it is not withdrawn.
        package let withdrawn: String?
        /// When its files were removed to save space; nil: they are there.
        package let pruned: Date?
        package let note: VersionNote

        package init(
            version: SemanticVersion, manifest: Digest, published: Date, publishedBy: String, fileCount: Int,
            size: Int, fullSize: Int?, archiveSize: Int?, withdrawn: String?,
            pruned: Date? = nil, note: VersionNote = .none
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
            self.pruned = pruned
            self.note = note
        }
    }

    /// The way back that a channel offers of a package, until something newer is offered.
    package struct Rollback: Hashable, Sendable {
        /// nil: what the app embeds.
        package let from: SemanticVersion?
        /// nil: what the app embeds.
        package let to: SemanticVersion?
        package let by: String
        package let time: Date
        /// As it was given; empty for none.
        package let reason: String

        package init(from: SemanticVersion?, to: SemanticVersion?, by: String, time: Date, reason: String) {
            self.from = from
            self.to = to
            self.by = by
            self.time = time
            self.reason = reason
        }
    }

    package let app: String
    /// The versions of each package, the newest publication first.
    package let versions: [PackageID: [Version]]
    /// What each channel offers, newest first.
    package let channels: [ChannelName: [PackageID: [Release]]]
    /// The releases that devices go back to when the newest release for everyone is no longer offered; without an
    /// entry if there is none.
    package let earlier: [ChannelName: [PackageID: Release]]
    /// What channels tell their devices beside releases; only those that do.
    package let settings: [ChannelName: ChannelSettings]
    /// How many others must approve a change of each channel; only those that require it.
    package let approvals: [ChannelName: Int]
    /// What was taken back last; without an entry if something newer is offered, or if nothing was.
    package let rollbacks: [ChannelName: [PackageID: Rollback]]

    package init(
        app: String, versions: [PackageID: [Version]], channels: [ChannelName: [PackageID: [Release]]],
        earlier: [ChannelName: [PackageID: Release]] = [:], settings: [ChannelName: ChannelSettings] = [:],
        approvals: [ChannelName: Int] = [:], rollbacks: [ChannelName: [PackageID: Rollback]] = [:]
    ) {
        self.app = app
        self.versions = versions
        self.channels = channels
        self.earlier = earlier
        self.settings = settings
        self.approvals = approvals
        self.rollbacks = rollbacks
    }
}

extension RegistryOverview {
    /// The same with what the scope may see of approvals (the right `release` on the channel) and of what was taken back
    /// (`release` or `observe` of the package on the channel), as where the registry tells of these alone.
    package func visible(to scope: TokenScope) -> RegistryOverview {
        let rollbacks = rollbacks.map { channel, packages in
            let seen = packages.filter { package, _ in
                [.release, .observe].contains { scope.allows($0, package: package, channel: channel) }
            }
            return (channel, seen)
        }
        return RegistryOverview(
            app: app, versions: versions, channels: channels, earlier: earlier, settings: settings,
            approvals: approvals.filter { scope.allows(.release, channel: $0.key) },
            rollbacks: Dictionary(uniqueKeysWithValues: rollbacks.filter { !$0.1.isEmpty }))
    }
}
