import Foundation
import PackFormat
import PackRegistry
import PackSystem

/// Caches what pages and devices request from the database again and again. It is read anew only when the view has
/// changed.
///
/// Every publication and every change of a channel ends with a new `metadata/timestamp.json`, so one `lstat` shows
/// whether the cached values are still valid.
actor ReleaseCache {
    private struct SiteKey: Hashable {
        let package: PackageID
        let version: SemanticVersion
    }

    private let host: any RegistryHost
    private let view: ViewController
    private var stamp: FileStamp?
    /// Manifests can be large, and anybody may ask for any version.
    private var manifests = RecentCache<SiteKey, Manifest>(maximumCount: 64)
    /// They never change under their digest. Room for all groups of the two channels that were asked for last; with the
    /// most devices that is 50 MB.
    private var groups = RecentCache<Digest, GroupMembers>(maximumCount: 4 * DeviceGroup.maximumCount)
    /// How many groups were read from their files.
    private(set) var groupReadCount = 0
    /// Each holds all packages of the app.
    private var channels = RecentCache<ChannelName, Task<ChannelOffers?, any Error>>(maximumCount: 32)

    init(host: any RegistryHost, view: ViewController) {
        self.host = host
        self.view = view
    }

    nonisolated var app: String { host.app }

    func manifest(of package: PackageID, _ version: SemanticVersion) async throws -> Manifest? {
        let stamp = current()
        let key = SiteKey(package: package, version: version)
        if let manifest = manifests.value(for: key) { return manifest }
        let manifest = try await host.manifest(of: package, version)
        if let manifest, self.stamp == stamp { manifests.insert(manifest, for: key) }
        return manifest
    }

    /// What a channel offers for a package, newest first.
    func releases(of package: PackageID, on channel: ChannelName) async throws -> [Release] {
        try await offer(of: package, on: channel)?.releases ?? []
    }

    /// What a channel says of a package; nil where it never offered it.
    func offer(of package: PackageID, on channel: ChannelName) async throws -> ChannelFile.Package? {
        try await offers(on: channel)?.file.packages[package]
    }

    /// The groups of a channel that releases name and a device is in.
    func groups(of device: String, on channel: ChannelName) async throws -> Set<String> {
        guard let offers = try await offers(on: channel) else { return [] }
        var names: Set<String> = []
        for (name, digest) in offers.groups {
            if try await group(name, digest, of: channel).contains(device: device) { names.insert(name) }
        }
        return names
    }

    private func group(_ name: String, _ digest: Digest, of channel: ChannelName) async throws -> GroupMembers {
        if let known = groups.value(for: digest) { return known }
        let path = ViewPath.group(channel, name, digest)
        _ = try await host.fetch(path.description)
        let data = try Data(contentsOf: host.viewFolder.appending(path: path.description))
        let group = try GroupMembers(DeviceGroup(parsing: data))
        groupReadCount += 1
        groups.insert(group, for: digest)
        return group
    }

    /// The whole channel at once: after a change one reading serves all who ask, whichever packages they ask about.
    func offers(on channel: ChannelName) async throws -> ChannelOffers? {
        _ = current()
        if let known = channels.value(for: channel) { return try await known.value }
        let host = host
        let task = Task {
            try await host.channelFile(channel).map(ChannelOffers.init)
        }
        channels.insert(task, for: channel)
        let found = await task.result
        // Names that nobody offers anything on are not kept, and after a failure the next request tries again.
        if (try? found.get()) == nil, channels.value(for: channel) == task { channels.remove(channel) }
        return try found.get()
    }

    /// The view's stamp, taken before anything is read, so that what is kept is at least as new.
    private func current() -> FileStamp? {
        let now = view.stamp
        if now != stamp || now == nil {
            stamp = now
            manifests.removeAll()
            channels.removeAll()
        }
        return now
    }
}
