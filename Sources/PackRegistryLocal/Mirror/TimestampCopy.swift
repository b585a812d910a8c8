import Foundation
import PackFormat
import PackRegistry
import PackSystem

/// The copy of the timestamp, which never goes back: each is read after the one before was written, and the storage shows a newer one
/// from one reading to the next.
actor TimestampCopy {
    /// Devices read no larger one.
    private static let maximumByteCount = 1 << 20

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
    func refresh() async throws {
        let before = last
        let task = Task {
            _ = await before?.result
            try await read()
        }
        last = task
        try await task.value
    }

    private func read() async throws {
        guard let found = try await view.read(.timestamp, maximumByteCount: Self.maximumByteCount), found != bytes
        else {
            return
        }
        try await BlockingWork.run { [file] in
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try SystemCall.replace(file, with: found)
        }
    }
}
