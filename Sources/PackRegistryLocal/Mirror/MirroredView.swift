import PackFormat
import PackRegistry

/// The view in remote storage, for what writes it: it is read and written there, and the copies here follow.
struct MirroredView: ViewStore {
    let mirror: ViewMirror
    /// The names of all files that are there, where somebody has listed them: then none is asked for.
    var listed: Set<String>?

    private var view: any RemoteViewStore { mirror.storage.view }

    @discardableResult
    func put(_ files: [ViewFile]) async throws -> Set<ViewPath> {
        if let listed { return try await view.put(files.filter { !listed.contains($0.path.description) }) }
        // A copy was there once, and is believed until the next look.
        let missing = try await view.put(isLookDue ? files : files.filter { !mirror.hasCopy(of: .view($0.path)) })
        await keepCopies(of: files)
        return missing
    }

    func add(_ files: [ViewFile]) async throws {
        try await view.add(files)
        await keepCopies(of: files)
    }

    /// Of the few signed documents that a publisher begins with the next time.
    private func keepCopies(of files: [ViewFile]) async {
        for file in files.prefix(Self.keptCount)
        where file.path.isSignedMetadata && !mirror.hasCopy(of: .view(file.path)) {
            if let bytes = try? await file.bytes() { try? mirror.keep(bytes, as: .view(file.path)) }
        }
    }

    private static let keptCount = 64

    func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws {
        // Where another process was first, the next reading has to see that.
        mirror.remember(nil)
        try await view.show(timestamp, replacing: shown)
        mirror.remember(timestamp)
        // It is shown. Where the copy cannot follow now, the next look at the storage makes it follow.
        try? await mirror.refreshTimestamp(seen: timestamp)
    }

    func read(_ path: ViewPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
        if path.cacheControl == CacheControl.immutable, mirror.hasCopy(of: .view(path)),
            let copy = try? await FolderViewStore(folder: mirror.folder).read(
                path, from: offset, maximumByteCount: maximumByteCount)
        {
            return copy
        }
        let part = try await view.read(path, from: offset, maximumByteCount: maximumByteCount)
        if path == .timestamp, offset == 0, let part, part.bytes.count == part.size {
            mirror.remember(part.bytes)
            try await mirror.refreshTimestamp(seen: part.bytes)
        }
        return part
    }

    func readToReplace(maximumByteCount: Int) async throws -> [UInt8]? {
        guard let seen = mirror.seenTimestamp else {
            return try await read(.timestamp, maximumByteCount: maximumByteCount)
        }
        try await mirror.refreshTimestamp(seen: seen)
        return seen
    }

    func remove(_ paths: [ViewPath]) async throws { try await mirror.remove(paths) }

    var isLookDue: Bool { mirror.isLookDue }

    func look() { mirror.look() }
}

extension ViewPath {
    fileprivate var isSignedMetadata: Bool {
        if case .metadata = self { true } else { false }
    }
}
