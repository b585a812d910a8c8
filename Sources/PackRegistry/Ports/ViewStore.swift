package import Foundation
package import PackFormat
import PackRegistryAPI

/// The files that devices see of a registry: a folder, a bucket. One that is away from this machine is a ``RemoteViewStore`` of a
/// ``RemoteStorage``.
///
/// Every name but the timestamp's belongs to one content for ever, and nobody asks for a file before a timestamp that leads to it
/// is shown. So files are written in any order and more than once, and only the timestamp needs care:
///
///     try await view.put(files)                                  // durable, and not yet found by anybody
///     try await view.show(timestamp, replacing: shown)           // StaleView: look again
///     try await view.remove(outdated)
package protocol ViewStore: Sendable {
    /// Writes those files that are not there, each of them whole and durable at return.
    /// - Returns: the paths that were not there.
    @discardableResult
    func put(_ files: [ViewFile]) async throws -> Set<ViewPath>

    /// ``put(_:)`` of files that are most likely not there, because nothing that is shown leads to them.
    func add(_ files: [ViewFile]) async throws

    /// Replaces the timestamp, after everything that it leads to was put. It is durable at return.
    /// - Parameter shown: the timestamp that is to be there now; nil: none.
    /// - Throws: ``StaleView`` where another one is there, and stays.
    func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws

    /// Reads a part of a file.
    /// - Returns: at most `maximumByteCount` bytes from `offset` on; nil where there is no such file.
    func read(_ path: ViewPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart?

    /// Reads the timestamp for whoever replaces it next. It may be one of some seconds ago: where another was shown
    /// since, ``show(_:replacing:)`` throws ``StaleView``.
    func readToReplace(maximumByteCount: Int) async throws -> [UInt8]?

    /// Whether it is time to look whether the files are there that every device reads.
    var isLookDue: Bool { get }

    /// Notes that all of them were there.
    func look()

    /// Removes files to which no timestamp that a reader may have leads any more. Those that are not there are fine.
    func remove(_ paths: [ViewPath]) async throws
}

/// A file to be put.
package struct ViewFile: Sendable {
    package let path: ViewPath
    /// Asked for only where the file is not there.
    /// - Throws: ``StaleView`` where the registry does not keep it any more.
    package let bytes: @Sendable () async throws -> [UInt8]

    package init(_ path: ViewPath, bytes: @escaping @Sendable () async throws -> [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

/// A part of a file, and the size of all of it.
package struct ViewPart: Hashable, Sendable {
    package let bytes: [UInt8]
    package let size: Int

    package init(_ bytes: [UInt8], size: Int) {
        self.bytes = bytes
        self.size = size
    }
}

/// Somebody else showed a newer timestamp meanwhile: what is to be shown must be found out once more.
package struct StaleView: Error, Hashable, Sendable {
    package init() {}
}

extension ViewStore {
    package func add(_ files: [ViewFile]) async throws { try await put(files) }

    package func readToReplace(maximumByteCount: Int) async throws -> [UInt8]? {
        try await read(.timestamp, maximumByteCount: maximumByteCount)
    }

    /// Always, where looking costs nothing.
    package var isLookDue: Bool { true }

    package func look() {}

    /// The whole of a file; nil where there is no such file.
    /// - Throws: ``RegistryError`` of the kind `.tooLarge` above the limit.
    package func read(_ path: ViewPath, maximumByteCount: Int) async throws -> [UInt8]? {
        guard let part = try await read(path, from: 0, maximumByteCount: maximumByteCount) else { return nil }
        guard part.size <= maximumByteCount else {
            throw RegistryError(.tooLarge, "\(path) has \(part.size) bytes; at most \(maximumByteCount) are read")
        }
        return part.bytes
    }

    /// Copies a file to a place on this machine's disk where nothing is yet.
    /// - Returns: False if there is no such file.
    package func copy(_ path: ViewPath, to destination: URL) async throws -> Bool {
        try await FileCopy(name: "\(path)", destination: destination).write {
            try await read(path, from: $0, maximumByteCount: $1)
        }
    }
}
