import PackFormat

/// What a registry that is opened reads of its storage. Both are read at once, and before its database answers.
package struct StorageLook: Sendable {
    /// Devices read no larger timestamp.
    private static let timestampByteCount = 1 << 20

    private let markTask: Task<String?, any Error>
    private let timestampTask: Task<[UInt8]?, Never>

    /// Begins to read.
    package init(at storage: any RemoteStorage) {
        markTask = Task { try await storage.readMark() }
        timestampTask = Task {
            try? await storage.view.read(.timestamp, maximumByteCount: Self.timestampByteCount)
        }
    }

    /// The mark of the registry that the files belong to; nil: none.
    package var mark: String? { get async throws { try await markTask.value } }

    /// The timestamp that is shown; nil if there is none, or none that can be read.
    package var timestamp: [UInt8]? { get async { await timestampTask.value } }
}
