import Foundation
import PackFormat

/// Reads the signed channel file, from the store where it did not change.
struct ChannelReader {
    let layout: StoreLayout
    let targets: any SignedTargets

    func channel(_ name: ChannelName) async throws -> ChannelFile {
        let target = ViewLayout.channelTarget(name)
        guard let signed = try await targets.file(target) else {
            throw UpdateError.notTrusted(reason: "the registry has no channel \"\(name)\"")
        }
        let cached = layout.cache.appending(path: "channel-\(name).json")
        if let bytes = try? Durable.read(cached, maximumByteCount: ChannelFile.maximumByteCount),
            Digest(of: bytes) == signed.digest
        {
            return try parse(bytes, name)
        }
        let bytes = try await targets.target(target, maximumByteCount: ChannelFile.maximumByteCount)
        let channel = try parse(bytes, name)
        try Durable.makeFolder(layout.cache)
        try Durable.write(bytes, to: cached)
        return channel
    }

    private func parse(_ bytes: [UInt8], _ name: ChannelName) throws -> ChannelFile {
        let channel = try ChannelFile(parsing: bytes)
        guard channel.channel == name else {
            throw UpdateError.notTrusted(
                reason: "the file of the channel \"\(name)\" is that of \"\(channel.channel)\"")
        }
        return channel
    }
}
