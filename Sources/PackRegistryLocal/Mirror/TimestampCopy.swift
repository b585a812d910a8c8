import Foundation
import PackFormat
import PackRegistry
import PackTrust

/// The copy of the timestamp, which never goes back: each is read after the one before was written, and the storage shows a newer one
/// from one reading to the next.
actor TimestampCopy {
    /// Devices read no larger one.
    static let maximumByteCount = 1 << 20

    private let view: any RemoteViewStore
    nonisolated private let file: URL
    private var last: Task<Void, any Error>?

    init(of view: any RemoteViewStore, at file: URL) {
        self.view = view
        self.file = file
    }

    nonisolated var bytes: [UInt8]? {
        FileManager.default.contents(atPath: file.path(percentEncoded: false)).map { [UInt8]($0) }
    }

    /// Reads the timestamp of the storage after this call began, and writes it where it is another one.
    /// - Parameter seen: what this process has just read or shown there. It is not read again, if it is newer than what is here.
    func refresh(seen: [UInt8]? = nil) async throws {
        if let seen, seen == bytes { return }
        let before = last
        let task = Task {
            _ = await before?.result
            let isNewer = seen.map { Self.version($0) > bytes.map(Self.version) ?? 0 } ?? false
            try await write(isNewer ? seen : view.read(.timestamp, maximumByteCount: Self.maximumByteCount))
        }
        last = task
        try await task.value
    }

    /// 0 for what is no timestamp.
    private static func version(_ bytes: [UInt8]) -> Int {
        let role = TopLevelRole.timestamp.rawValue
        return (try? SignedDocument<TimestampMetadata>(parsing: bytes, name: role).body.version) ?? 0
    }

    private func write(_ found: [UInt8]?) async throws {
        let old = bytes
        guard let found, found != old else { return }
        let isOlder = old.map { Self.version(found) <= Self.version($0) } ?? false
        try await BlockingWork.run { [file] in
            // The rows were restored from a backup: the same names of signed documents have other content now.
            if isOlder { try FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
            try CopyFile.write(found, to: file)
        }
    }
}
