import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the signed files of a channel's groups, but only those that a release names; from the store if they have not changed.
struct GroupReader {
    let layout: StoreLayout
    let targets: any SignedTargets

    /// The groups that the device is in. A group that this program cannot read (one of a newer format) has no devices, and
    /// the reason is kept.
    /// - Throws: ``UpdateError/notTrusted(reason:)`` for a group that the channel names and nobody signed, or whose bytes are
    ///   not those that were signed.
    func groups(of device: String, in channel: ChannelFile) async throws -> GroupMembership {
        var membership = GroupMembership()
        for name in channel.groups(namedBy: channel.packages.values).sorted() {
            if let bytes = try await bytes(name, channel) {
                membership.add(name, bytes, device)
            } else {
                membership.unreadable[name] = "its file is larger than \(DeviceGroup.maximumByteCount) bytes"
            }
        }
        return membership
    }

    /// As far as the groups' files are in the store.
    static func cached(of device: String, in channel: ChannelFile, _ layout: StoreLayout) -> GroupMembership {
        var membership = GroupMembership()
        for name in channel.groups(namedBy: channel.packages.values) {
            let file = file(name, of: channel.channel, layout)
            guard let bytes = try? Durable.read(file, maximumByteCount: DeviceGroup.maximumByteCount),
                Digest(of: bytes) == channel.groups[name]?.digest
            else { continue }
            membership.add(name, bytes, device)
        }
        return membership
    }

    private static func file(_ name: String, of channel: ChannelName, _ layout: StoreLayout) -> URL {
        layout.cache.appending(path: "group-\(channel)-\(name).json")
    }

    /// The bytes that were signed; nil if they are more than this program reads.
    private func bytes(_ name: String, _ channel: ChannelFile) async throws -> [UInt8]? {
        let target = ViewLayout.groupTarget(name, of: channel.channel)
        guard let signed = try await targets.file(target), signed.digest == channel.groups[name]?.digest else {
            throw UpdateError.notTrusted(
                reason: "the channel \"\(channel.channel)\" names the group \"\(name)\", which is not signed with it")
        }
        guard signed.size <= DeviceGroup.maximumByteCount else { return nil }
        return try await targets.target(
            target, signed, keptIn: Self.file(name, of: channel.channel, layout),
            maximumByteCount: DeviceGroup.maximumByteCount)
    }
}

/// Which groups of its channel a device is in.
struct GroupMembership: Equatable {
    var names: Set<String> = []
    /// Groups of which this program cannot tell, and why. The device counts as in none of them.
    var unreadable: [String: String] = [:]

    /// - Parameter bytes: of the group's file, verified.
    mutating func add(_ name: String, _ bytes: [UInt8], _ device: String) {
        do {
            let group = try DeviceGroup(parsing: bytes)
            if group.name != name {
                unreadable[name] = "its file is that of the group \"\(group.name)\""
            } else if group.contains(device: device) {
                names.insert(name)
            }
        } catch {
            unreadable[name] = "\(error)"
        }
    }
}
