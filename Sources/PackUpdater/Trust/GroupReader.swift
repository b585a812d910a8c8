import Foundation
import PackFormat

/// Reads the signed files of a channel's groups, but only those that a release names; from the store if they have not changed.
struct GroupReader {
    let layout: StoreLayout
    let targets: any SignedTargets

    /// The groups that the device is in.
    /// - Throws: ``UpdateError/notTrusted(reason:)`` for a group that the channel names and nobody signed.
    func groups(of device: String, in channel: ChannelFile) async throws -> Set<String> {
        var names: Set<String> = []
        for name in channel.groups(namedBy: channel.packages.values).sorted() {
            if try await group(name, channel).contains(device: device) { names.insert(name) }
        }
        return names
    }

    /// The groups that the device is in, as far as their files are in the store.
    static func cached(of device: String, in channel: ChannelFile, _ layout: StoreLayout) -> Set<String> {
        channel.groups(namedBy: channel.packages.values).filter { name in
            let file = file(name, of: channel.channel, layout)
            guard let bytes = try? Durable.read(file, maximumByteCount: DeviceGroup.maximumByteCount),
                Digest(of: bytes) == channel.groups[name]?.digest, let group = try? DeviceGroup(parsing: bytes)
            else { return false }
            return group.contains(device: device)
        }
    }

    private static func file(_ name: String, of channel: ChannelName, _ layout: StoreLayout) -> URL {
        layout.cache.appending(path: "group-\(channel)-\(name).json")
    }

    private func group(_ name: String, _ channel: ChannelFile) async throws -> DeviceGroup {
        let target = ViewLayout.groupTarget(name, of: channel.channel)
        guard let signed = try await targets.file(target), signed.digest == channel.groups[name]?.digest else {
            throw UpdateError.notTrusted(
                reason: "the channel \"\(channel.channel)\" names the group \"\(name)\", which is not signed with it")
        }
        let cached = Self.file(name, of: channel.channel, layout)
        let bytes: [UInt8]
        if let known = try? Durable.read(cached, maximumByteCount: DeviceGroup.maximumByteCount),
            Digest(of: known) == signed.digest
        {
            bytes = known
        } else {
            bytes = try await targets.target(target, maximumByteCount: DeviceGroup.maximumByteCount)
            try Durable.makeFolder(layout.cache)
            try Durable.write(bytes, to: cached)
        }
        let group = try DeviceGroup(parsing: bytes)
        guard group.name == name else {
            throw UpdateError.notTrusted(reason: "the file of the group \"\(name)\" is that of \"\(group.name)\"")
        }
        return group
    }
}
