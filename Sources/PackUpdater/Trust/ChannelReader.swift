import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the signed channel file; from the store if it has not changed. Of a large channel it reads the parts of some packages.
struct ChannelReader {
    /// What was read of a channel.
    struct Found {
        let channel: ChannelFile
        /// False if the channel may have packages that are not in it.
        let isWhole: Bool
    }

    let layout: StoreLayout
    let targets: any SignedTargets

    /// - Parameter app: whose channel it has to be; nil for a device that does not know yet.
    /// - Parameter packages: those about which something is to be found out; nil: all.
    /// - Throws: ``UpdateError/notTrusted(reason:)`` for the file of another channel or app.
    func channel(_ name: ChannelName, of app: String?, for packages: Set<PackageID>?) async throws -> Found {
        guard let (target, signed) = try await listed(name) else {
            throw UpdateError.noChannel(name, existing: await targets.channelNames())
        }
        if let packages, let count = signed.partCount,
            let channel = try await inParts(name, app, packages, partCount: count)
        {
            return Found(channel: channel, isWhole: false)
        }
        let cached = Self.file(name, layout)
        if let bytes = try? Durable.read(cached, maximumByteCount: ChannelFile.maximumByteCount),
            Digest(of: bytes) == signed.digest
        {
            try Durable.remove(Self.assembled(name, layout))
            return Found(channel: try parse(bytes, name, app), isWhole: true)
        }
        let bytes = try await targets.target(target, maximumByteCount: ChannelFile.maximumByteCount)
        let channel = try parse(bytes, name, app)
        try Durable.makeFolder(layout.cache)
        removeParts(of: name)
        try Durable.write(bytes, to: cached)
        return Found(channel: channel, isWhole: true)
    }

    /// The channel file that the last check read and verified; nil if there is none that can be read.
    static func cached(_ name: ChannelName, _ layout: StoreLayout) -> ChannelFile? {
        let file = isCachedInPart(name, layout) ? assembled(name, layout) : file(name, layout)
        let bytes = try? Durable.read(file, maximumByteCount: ChannelFile.maximumByteCount)
        return bytes.flatMap { try? ChannelFile(parsing: $0) }
    }

    /// Whether ``cached(_:_:)`` has only some of the channel's packages.
    static func isCachedInPart(_ name: ChannelName, _ layout: StoreLayout) -> Bool {
        Durable.size(of: assembled(name, layout)) != nil
    }

    /// What was put together of the parts that the last check read; not there if it read the whole file.
    private static func assembled(_ name: ChannelName, _ layout: StoreLayout) -> URL {
        layout.cache.appending(path: partPrefix(name) + "all.json")
    }

    private static func file(_ name: ChannelName, _ layout: StoreLayout) -> URL {
        layout.cache.appending(path: "channel-\(name).json")
    }

    /// The file that says all of it.
    private func listed(_ name: ChannelName) async throws -> (target: String, file: SignedFile)? {
        for target in ViewLayout.channelTargets(name) {
            if let file = try await targets.file(target) { return (target, file) }
        }
        return nil
    }

    private func parse(_ bytes: [UInt8], _ name: ChannelName, _ app: String?) throws -> ChannelFile {
        try verified(ChannelFile(parsing: bytes), name, app)
    }

    private func verified(_ channel: ChannelFile, _ name: ChannelName, _ app: String?) throws -> ChannelFile {
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

// MARK: Parts

extension ChannelReader {
    private static func headName(_ name: ChannelName) -> String { "channel-\(name).head.json" }

    private static func partPrefix(_ name: ChannelName) -> String { "channel-\(name).part-" }

    /// The channel with the packages that are wanted, and those beside them in their parts.
    /// - Returns: nil where the whole file is to be read: it costs less, or the head is not the one of these parts.
    private func inParts(
        _ name: ChannelName, _ app: String?, _ packages: Set<PackageID>, partCount: Int
    ) async throws -> ChannelFile? {
        guard let headFile = try await targets.file(ViewLayout.channelHeadTarget(name)) else { return nil }
        let headBytes = try await targets.target(
            ViewLayout.channelHeadTarget(name), headFile, keptIn: layout.cache.appending(path: Self.headName(name)),
            maximumByteCount: ChannelHead.maximumByteCount)
        let head = try ChannelHead(parsing: headBytes)
        _ = try verified(head.channel, name, app)
        let numbers = Set(packages.map { head.part(of: $0) })
        guard head.partCount == partCount, numbers.count <= partCount / 2 else { return nil }
        var parts: [ChannelFile] = []
        for number in numbers.sorted() {
            let target = ViewLayout.channelPartTarget(name, number)
            // One without packages is not there.
            guard let file = try await targets.file(target) else { continue }
            let kept = layout.cache.appending(path: Self.partPrefix(name) + "\(number).json")
            let bytes = try await targets.target(
                target, file, keptIn: kept, maximumByteCount: ChannelFile.maximumByteCount)
            parts.append(try verified(ChannelPart.file(parsing: bytes, part: number), name, app))
        }
        let channel = head.file(with: parts)
        let (cached, bytes) = (Self.assembled(name, layout), channel.bytes)
        if (try? Durable.read(cached, maximumByteCount: ChannelFile.maximumByteCount)) != bytes {
            try Durable.write(bytes, to: cached)
        }
        return channel
    }

    /// What is kept of a channel that is read as a whole now.
    private func removeParts(of name: ChannelName) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.cache.path)) ?? []
        for file in names where file == Self.headName(name) || file.hasPrefix(Self.partPrefix(name)) {
            try? Durable.remove(layout.cache.appending(path: file))
        }
    }
}
