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
        try await view.put(files.filter { !(listed?.contains($0.path.description) ?? false) })
    }

    func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws {
        try await view.show(timestamp, replacing: shown)
        // It is shown. Where the copy cannot follow now, the next look at the storage makes it follow.
        try? await mirror.refreshTimestamp()
    }

    func read(_ path: ViewPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
        try await view.read(path, from: offset, maximumByteCount: maximumByteCount)
    }

    func remove(_ paths: [ViewPath]) async throws { try await mirror.remove(paths) }
}
