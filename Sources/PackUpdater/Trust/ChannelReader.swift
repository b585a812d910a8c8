import Foundation
import PackFormat

/// Reads the signed channel file; from the store if it has not changed.
struct ChannelReader {
    let layout: StoreLayout
    let targets: any SignedTargets

    /// - Parameter app: whose channel it has to be; nil for a device that does not know yet.
    /// - Throws: ``UpdateError/notTrusted(reason:)`` for the file of another channel or app.
    func channel(_ name: ChannelName, of app: String?) async throws -> ChannelFile {
        guard let (target, signed) = try await listed(name) else {
            throw UpdateError.noChannel(name, existing: await targets.channelNames())
        }
        let cached = layout.cache.appending(path: "channel-\(name).json")
        if let bytes = try? Durable.read(cached, maximumByteCount: ChannelFile.maximumByteCount),
            Digest(of: bytes) == signed.digest
        {
            return try parse(bytes, name, app)
        }
        let bytes = try await targets.target(target, maximumByteCount: ChannelFile.maximumByteCount)
        let channel = try parse(bytes, name, app)
        try Durable.makeFolder(layout.cache)
        try Durable.write(bytes, to: cached)
        return channel
    }

    /// The channel file that the last check read and verified; nil if there is none that can be read.
    static func cached(_ name: ChannelName, _ layout: StoreLayout) -> ChannelFile? {
        let cached = layout.cache.appending(path: "channel-\(name).json")
        let bytes = try? Durable.read(cached, maximumByteCount: ChannelFile.maximumByteCount)
        return bytes.flatMap { try? ChannelFile(parsing: $0) }
    }

    /// The file that says all of it.
    private func listed(_ name: ChannelName) async throws -> (target: String, file: SignedFile)? {
        for target in ViewLayout.channelTargets(name) {
            if let file = try await targets.file(target) { return (target, file) }
        }
        return nil
    }

    private func parse(_ bytes: [UInt8], _ name: ChannelName, _ app: String?) throws -> ChannelFile {
        let channel = try ChannelFile(parsing: bytes)
        guard channel.channel == name else {
            throw UpdateError.notTrusted(
                reason: "the file of the channel \"\(name)\" is that of \"\(channel.channel)\"")
        }
        if let app, channel.app != app {
            throw UpdateError.notTrusted(
                reason: "its channel \"\(name)\" is of the app \"\(channel.app)\", and this device is one of the app "
                    + "\"\(app)\": give the address of that app's registry")
        }
        return channel
    }
}
