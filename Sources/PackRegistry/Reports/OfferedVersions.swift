package import PackFormat

/// Every version that the channels of a registry ever offered. Reports about others are not stored: anybody can send them.
package struct OfferedVersions: Hashable, Sendable {
    package struct Place: Hashable, Sendable {
        package let channel: ChannelName
        package let package: PackageID

        package init(channel: ChannelName, package: PackageID) {
            self.channel = channel
            self.package = package
        }
    }

    package struct Offer: Hashable, Sendable {
        /// The ids of the releases that offered it.
        package var releases: Set<String> = []
        /// The bytes of its zip; nil if it is not made yet.
        package var zipByteCount: Int?

        package init() {}
    }

    package private(set) var offers: [Place: [SemanticVersion: Offer]] = [:]

    package init() {}

    /// - Parameter version: Nil for a release of what the app embeds.
    package mutating func add(
        _ version: SemanticVersion?, of package: PackageID, on channel: ChannelName, release: String,
        zipByteCount: Int?
    ) {
        let place = Place(channel: channel, package: package)
        guard let version else {
            offers[place, default: [:]] = offers[place] ?? [:]
            return
        }
        var offer = offers[place]?[version] ?? Offer()
        offer.releases.insert(release)
        offer.zipByteCount = zipByteCount ?? offer.zipByteCount
        offers[place, default: [:]][version] = offer
    }

    /// What is known about the version of an event; nil if it was never offered, or not by that release.
    func offer(for event: ReportEvent, on channel: ChannelName) -> Offer? {
        guard let versions = offers[Place(channel: channel, package: event.package)] else { return nil }
        guard let version = event.version else { return Offer() }
        guard let offer = versions[version] else { return nil }
        if let release = event.release, !offer.releases.contains(release) { return nil }
        return offer
    }
}

extension OfferedVersions {
    /// Whether all that a batch names was offered, and the zips of what was downloaded have a size.
    package func covers(_ batch: ReportBatch) -> Bool {
        // Most events of a batch are about the same version.
        var last: (subject: ReportSubject, offer: Offer?)?
        return batch.events.allSatisfy { event in
            if last?.subject.isSubject(of: event) != true {
                last = (ReportSubject(event), offer(for: event, on: batch.channel))
            }
            guard let offer = last?.offer else { return false }
            return event.code != .downloaded || offer.zipByteCount != nil || event.zipByteCount != nil
        }
    }
}
