package import Foundation
package import PackFormat

/// A view in remote storage. Besides what devices need it has what servers make from files of their own disk.
package protocol RemoteViewStore: ViewStore {
    /// ``ViewStore/read(_:from:maximumByteCount:)`` for any file of the registry.
    func read(_ path: StoredPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart?

    /// A URL at which anybody reads a file, to be begun within some seconds.
    /// - Returns: nil if there is no such file.
    func readingURL(of path: StoredPath, seconds: Int) async throws -> String?

    /// Writes a file from a file of this machine, whether it is there or not. It is durable at return.
    /// - Parameter digest: what the file is to have.
    func put(_ path: StoredPath, file: URL, size: Int, digest: Digest) async throws

    /// Lists all files whose names begin so, some at a time.
    func list(_ start: String, _ body: ([ListedFile]) async throws -> Void) async throws

    /// Removes files by their names in a list. Those that are not there are fine.
    func remove(listed names: [String]) async throws
}

extension RemoteViewStore {
    package func read(_ path: ViewPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
        try await read(.view(path), from: offset, maximumByteCount: maximumByteCount)
    }

    /// Writes a file from a file of this machine with the bytes that it has now.
    package func put(_ path: StoredPath, file: URL) async throws {
        let (size, digest) = try await BlockingWork.run {
            let bytes = try Data(contentsOf: file, options: .alwaysMapped)
            return (bytes.count, Digest(of: bytes))
        }
        try await put(path, file: file, size: size, digest: digest)
    }

    /// Copies a file to a place on this machine's disk where nothing is yet.
    /// - Returns: False if there is no such file.
    package func copy(_ path: StoredPath, to destination: URL) async throws -> Bool {
        try await FileCopy(name: "\(path)", destination: destination).write {
            try await read(path, from: $0, maximumByteCount: $1)
        }
    }
}
