import PackFormat
import PackTrust

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The signed targets of an app, through its TUF client.
struct TrustedTargets: SignedTargets {
    private let client: TrustClient
    private let bundle: MetadataBundle
    private let probe: RootProbe
    private let layout: StoreLayout

    /// - Parameter root: the `root.json` that the app embeds; nil if the store holds one already.
    /// - Parameter channel: what a fresh device asks a bundle for.
    /// - Throws: ``UpdateError/noRoot``
    init(
        layout: StoreLayout, root: [UInt8]?, transport: any UpdateTransport, channel: ChannelName,
        now: @escaping @Sendable () -> Date
    ) throws {
        self.layout = layout
        let store = try FolderTrustStore(folder: layout.trust)
        if root == nil, try store.read("root.json") == nil { throw UpdateError.noRoot }
        bundle = MetadataBundle(channel: channel, transport: transport)
        client = TrustClient(
            store: store, transport: MetadataTransport(transport: transport, layout: layout, bundle: bundle),
            trustedRoot: root, now: now)
        probe = RootProbe(file: layout.cache.appending(path: "root-probe"), now: now)
    }

    func refresh() async throws {
        let isDue = probe.isDue
        do {
            try await OlderTimestamp.passed { try await refresh(probingRoot: isDue) }
        } catch let error as TrustError {
            throw Self.fault(error)
        }
        if isDue { try probe.noteDone() }
    }

    /// What was kept of the last answer may be what a mirror once said under the honest server's tag, and would be
    /// believed for as long as that server answers that nothing has changed. So a refusal is tried once more without it.
    private func refresh(probingRoot: Bool) async throws {
        do {
            try await retryingAlone { try await client.refresh(probingRoot: probingRoot) }
        } catch let error as TrustError {
            let kept = layout.cache.appending(path: MetadataTransport.keptName)
            guard Durable.size(of: kept) != nil else { throw error }
            try Durable.remove(kept)
            try await client.refresh(probingRoot: probingRoot)
        }
    }

    /// A file of many documents may lie or mix what does not belong together. So a refusal is tried once more with each document
    /// by itself.
    private func retryingAlone<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as TrustError {
            guard bundle.end() else { throw error }
            return try await body()
        }
    }

    func file(_ path: String) async throws -> SignedFile? {
        do {
            let found = try await retryingAlone { try await client.targetInfo(path) }
            guard let info = found else { return nil }
            guard let hash = info.hashes.sha256 else {
                throw UpdateError.notTrusted(reason: "\(path) is signed without a SHA-256")
            }
            guard let digest = try? Digest(hex: hash) else {
                throw UpdateError.notTrusted(reason: "\(path) is signed with \"\(hash)\", which is no SHA-256")
            }
            return SignedFile(digest: digest, size: info.length, partCount: info[extra: ChannelHead.countField])
        } catch let error as TrustError {
            throw Self.fault(error)
        }
    }

    /// A file that is not there is no sign of forgery: the address is wrong, or a copy of the registry is not complete.
    private static func fault(_ error: TrustError) -> UpdateError {
        if case .missing(let name) = error { return .registryLacks(path: name) }
        return .notTrusted(reason: "\(error)")
    }

    func channelNames() async -> [String] {
        let role = await client.trustedMetadata?.targets(ViewLayout.channelsRole, delegator: "targets")
        guard let role else { return [] }
        var names: [String] = []
        for path in role.body.targets.names {
            guard let name = ViewLayout.channel(ofTarget: path)?.text, !names.contains(name) else { continue }
            names.append(name)
        }
        return names
    }

    func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] {
        do {
            return try await retryingAlone {
                try await client.target(path, maximumByteCount: maximumByteCount)
            }
        } catch let error as TrustError {
            throw Self.fault(error)
        }
    }
}

/// Fetches metadata and signed files. It requests the timestamp, the one file that changes under its name, with the
/// ETag of the last answer, so that a check without news costs one 304.
struct MetadataTransport: TrustTransport {
    /// The last timestamp, in the cache's folder.
    static let keptName = "timestamp"

    let transport: any UpdateTransport
    let layout: StoreLayout
    let bundle: MetadataBundle

    func fetch(_ path: String, maximumByteCount: Int) async throws -> [UInt8]? {
        if let root = Self.version(path, of: "root"), isFresh { await bundle.fetchOnce(root: root - 1) }
        if let bundled = bundle.take(path, maximumByteCount: maximumByteCount) { return bundled }
        if let snapshot = Self.version(path, of: "snapshot") {
            // The timestamp names a new one, so what it lists is mostly new as well.
            await bundle.fetchRecent(snapshot: snapshot)
            if let recent = bundle.take(path, maximumByteCount: maximumByteCount) { return recent }
        }
        guard path == RepositoryPath.metadata("timestamp") else {
            return try await read(path, maximumByteCount, validator: nil, known: [])
        }
        let file = layout.cache.appending(path: Self.keptName)
        // The ETag on the first line, the bytes it stands for after it.
        let cached = (try? Durable.read(file, maximumByteCount: maximumByteCount + 1024)) ?? []
        guard let end = cached.firstIndex(of: UInt8(ascii: "\n")), end > 0 else {
            return try await read(path, maximumByteCount, validator: nil, known: [], cache: file)
        }
        let validator = String(decoding: cached[..<end], as: UTF8.self)
        return try await read(
            path, maximumByteCount, validator: validator, known: Array(cached[(end + 1)...]), cache: file)
    }

    /// A device that has never seen a timestamp needs everything.
    private var isFresh: Bool { Durable.size(of: layout.trust.appending(path: "timestamp.json")) == nil }

    /// The version in `metadata/N.ROLE.json`.
    private static func version(_ path: String, of role: String) -> Int? {
        let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
        return parts.count == 3 && parts[1] == role ? Int(parts[0]) : nil
    }

    private func read(
        _ path: String, _ maximumByteCount: Int, validator: String?, known: [UInt8], cache: URL? = nil
    ) async throws -> [UInt8]? {
        switch try await transport.read(path, maximumByteCount: maximumByteCount, validator: validator) {
        case .missing: return nil
        case .unchanged: return known
        case .bytes(let bytes, let validator):
            // Only an ETag that is the content's digest, as a registry's is. Under any other, a mirror could hand out an older
            // timestamp once, and the registry itself would say later that it is still the same.
            if let cache, let validator, validator == "\"\(Digest(of: bytes))\"" {
                try Durable.makeFolder(layout.cache)
                try Durable.write(Array(validator.utf8) + [UInt8(ascii: "\n")] + bytes, to: cache)
            }
            return bytes
        }
    }
}

/// When the client must request a newer root. Never requesting it would miss revocations, and requesting it at every
/// check doubles the requests.
struct RootProbe {
    let file: URL
    let now: @Sendable () -> Date
    private static let interval: TimeInterval = 24 * 60 * 60

    /// A clock that was set back makes it due as well.
    var isDue: Bool {
        guard let bytes = try? Durable.read(file, maximumByteCount: 64),
            let last = TimeInterval(String(decoding: bytes, as: UTF8.self))
        else { return true }
        return abs(now().timeIntervalSince1970 - last) >= Self.interval
    }

    func noteDone() throws(UpdateError) {
        try Durable.makeFolder(file.deletingLastPathComponent())
        try Durable.write(Array(String(Int(now().timeIntervalSince1970)).utf8), to: file)
    }
}
