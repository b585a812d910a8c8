package import Foundation
package import PackFormat
package import PackRegistryAPI

/// The facts that a change needs before it can be decided. A store answers all of it from one consistent read.
///
/// Everything that is read unasked: the newest root, targets, channels, snapshot and timestamp, the newest version of
/// every role, and how many approvals each channel requires, if the change ``signs``.
package struct FactsQuery: Sendable {
    /// The releases of one package.
    package struct Histories: Hashable, Sendable {
        package let package: PackageID
        /// Nil: every channel that ever offered the package.
        package let channels: Set<ChannelName>?
        /// The channels whose newest files are read too. Nil: all of these channels.
        package let files: Set<ChannelName>?

        package init(of package: PackageID, on channels: Set<ChannelName>?, files: Set<ChannelName>?) {
            self.package = package
            self.channels = channels
            self.files = files
        }
    }

    /// What a channel offers, or offered at a moment.
    package struct ChannelAt: Hashable, Sendable {
        package let channel: ChannelName
        /// nil: now.
        package let time: Date?

        package init(_ channel: ChannelName, at time: Date? = nil) {
            self.channel = channel
            self.time = time
        }
    }

    /// The releases of packages, and of all that were ever in a set with one of them.
    package struct Companions: Hashable, Sendable {
        package let packages: Set<PackageID>
        /// nil: every channel that ever offered one of the packages.
        package let channels: Set<ChannelName>?
        /// Whether every published version of the packages is read too.
        package let hasVersions: Bool
        /// The channel that a promotion comes from: all that were in a set with one of the packages there count as named, on every
        /// channel.
        package let source: ChannelName?
        /// Whether all are read too that are tied to one of these by sets of which releases are not taken back: what takes one
        /// set back may have to take back the next.
        package let isTied: Bool
        /// Whether the plans of all of them are read too, beside those that are asked for.
        package let hasPlans: Bool

        package init(
            of packages: Set<PackageID>, on channels: Set<ChannelName>?, hasVersions: Bool = false,
            source: ChannelName? = nil, isTied: Bool = false, hasPlans: Bool = false
        ) {
            self.packages = packages
            self.channels = channels
            self.hasVersions = hasVersions
            self.source = source
            self.isTied = isTied
            self.hasPlans = hasPlans
        }
    }

    /// Names that an error lists for somebody who misspelt one.
    package struct Names: Hashable, Sendable {
        package let versionsOf: PackageID
        package let packagesOn: ChannelName

        package init(versionsOf package: PackageID, packagesOn channel: ChannelName) {
            versionsOf = package
            packagesOn = channel
        }
    }

    /// What a view has to have.
    package enum View: Hashable, Sendable {
        /// The newest timestamp, the number of the newest root, and the manifest that was published first.
        case newest
        /// And the names of all metadata, channel files and manifests that are kept.
        case everything
    }

    /// The releases that have, or had, a plan.
    package struct Rollouts: Hashable, Sendable {
        /// nil: every package.
        package let packages: Set<PackageID>?
        /// nil: every channel.
        package let channel: ChannelName?
        /// The moment as of which plans and what is taken back are told; nil: now. Newer releases are told for now only.
        package let time: Date?
        /// Whether only plans count of releases that are not taken back, and that have something left to do.
        package var isOpen = false

        package init(of package: PackageID?, on channel: ChannelName?, at time: Date? = nil) {
            self.init(of: package.map { [$0] }, on: channel, at: time)
        }

        package init(of packages: Set<PackageID>?, on channel: ChannelName?, at time: Date? = nil) {
            self.packages = packages
            self.channel = channel
            self.time = time
        }

        /// With the plans of packages that a change takes along.
        package func widened(by companions: Companions?, _ facts: RegistryFacts) -> Rollouts {
            guard let companions, companions.hasPlans, let channel, let packages else { return self }
            var rollouts = Rollouts(
                of: packages.union(facts.companions[channel]?.keys.map(\.self) ?? []), on: channel, at: time)
            rollouts.isOpen = isOpen
            return rollouts
        }
    }

    /// Proposed changes, with all events of each.
    package enum Approvals: Hashable, Sendable {
        /// Those that nothing has ended. Some of them may have expired.
        case open
        /// The newest ones.
        case newest(Int)
        case change(Int)
    }

    package enum Tokens: Hashable, Sendable {
        case all
        /// Those that stand for jobs.
        case trusts
        /// The token with this hash, then the trust that it was made of.
        case hash(Digest)
    }

    /// Whether the change may produce signed metadata.
    package var signs = true
    /// The roles whose newest signed documents are read.
    package var roles: Set<String> = []
    /// Single versions of signed documents, where they are still kept.
    package var documents: Set<DocumentID> = []
    package var channelFiles: Set<Digest> = []
    package var manifests: Set<Digest> = []
    package var versions: Set<VersionName> = []
    /// The shared bundle whose users are read: the versions that need it and are not withdrawn.
    package var usersOfBundle: VersionName?
    package var histories: Histories?
    package var companions: Companions?
    package var channel: ChannelAt?
    /// The channel whose newest file is read without any history, with the names of all channels.
    package var channelFile: ChannelName?
    package var names: Names?
    package var rollouts: Rollouts?
    /// Whether the packages and channels are read that have a plan with something left to do.
    package var openRollouts = false
    /// The objects to look for; those that are not recorded are returned.
    package var objects: [Object] = []
    /// The objects of which it is asked whether they are to be removed.
    package var removals: [Object] = []
    package var view: View?
    package var tokens: Tokens?
    /// The version whose provenance is read.
    package var provenance: VersionName?
    /// Read with the number of the next change, and how many approvals each channel requires.
    package var approvals: Approvals?
    /// The entries of the audit log to read, newest first.
    package var audit: AuditQuery?

    package init() {}

    /// A query of rows for a change that signs nothing.
    package static var unsigned: FactsQuery {
        var query = FactsQuery()
        query.signs = false
        return query
    }
}
