package import Foundation
package import PackFormat
package import PackRegistryAPI

/// What an import publishes and offers, oldest first.
///
///     let plan = try ImportPlan(export, package: shop, names: ChannelNames(["Production": stable]))
///     for version in plan.versions { … }
///
/// Pure: an export in, a plan out. It knows no registry.
package struct ImportPlan: Sendable {
    package struct Version: Hashable, Sendable {
        package let version: SemanticVersion
        package let file: ExportFile
        package let created: Date?
        package let note: VersionNote
        package let requiredApp: VersionRange?
        /// What the other system calls it, for messages.
        let name: String
        let content: ExportedRelease.Content?
    }

    package struct Offer: Hashable, Sendable {
        package let version: SemanticVersion
        package let created: Date?
        package let share: Share
        package let isMandatory: Bool
    }

    package let package: PackageID
    package let versions: [Version]
    /// What each channel offered, oldest first. What the other system had taken back is not there.
    package let offers: [ChannelName: [Offer]]

    /// - Parameter channel: the channel of versions of which the export names none; nil: they are not offered.
    /// - Throws: ``ImportError``
    package init(
        _ export: Export, package: PackageID, names: ChannelNames, channel: ChannelName? = nil
    ) throws(ImportError) {
        self.package = package
        let releases = try Self.ordered(export.releases)
        let channels = try names.channels(for: Set(releases.compactMap(\.channel)).union(export.last.keys))
        var versions: [Version] = []
        var places: [SemanticVersion: Int] = [:]
        var offers: [ChannelName: [Offer]] = [:]
        var known: Set<VersionOnChannel> = []
        var isOver: Set<ChannelName> = []
        let last = Dictionary(
            export.last.compactMap { name, version in channels[name].map { ($0, version) } }, uniquingKeysWith: { $1 })
        for release in releases {
            if let place = places[release.version] {
                let first = versions[place]
                guard first.file == release.file else {
                    throw .sameVersion(release.version, first: first.file.path, second: release.file.path)
                }
                guard first.requiredApp == release.requiredApp else {
                    throw .differentRanges(release.version, first: first.name, second: Self.name(of: release))
                }
            } else {
                places[release.version] = versions.count
                versions.append(Self.version(release))
            }
            guard let channel = release.channel.flatMap({ channels[$0] }) ?? channel else { continue }
            guard known.insert(VersionOnChannel(version: release.version, channel: channel)).inserted else {
                throw .twiceOnChannel(release.version, channel: channel)
            }
            guard !release.isDisabled, !isOver.contains(channel) else { continue }
            offers[channel, default: []].append(
                Offer(
                    version: release.version, created: release.created, share: release.share,
                    isMandatory: release.isMandatory))
            if last[channel] == release.version { isOver.insert(channel) }
        }
        self.versions = versions
        self.offers = offers
    }

    private struct VersionOnChannel: Hashable {
        let version: SemanticVersion
        let channel: ChannelName
    }

    /// By their times, else by their versions; those of one moment in the export's order.
    private static func ordered(_ releases: [ExportedRelease]) throws(ImportError) -> [ExportedRelease] {
        guard let timed = releases.first(where: { $0.created != nil }) else {
            return releases.enumerated().sorted { left, right in
                left.element.version == right.element.version
                    ? left.offset < right.offset : left.element.version < right.element.version
            }.map(\.element)
        }
        if let other = releases.first(where: { $0.created == nil }) {
            throw .timesMissing(with: name(of: timed), without: name(of: other))
        }
        return releases.enumerated().sorted { left, right in
            let (first, second) = (left.element.created ?? .distantPast, right.element.created ?? .distantPast)
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }

    private static func version(_ release: ExportedRelease) -> Version {
        Version(
            version: release.version, file: release.file, created: release.created, note: ImportNote.note(of: release),
            requiredApp: release.requiredApp, name: name(of: release), content: release.content)
    }

    private static func name(of release: ExportedRelease) -> String {
        release.origin.map { "\($0) (\(release.file.path))" } ?? release.file.path
    }
}
