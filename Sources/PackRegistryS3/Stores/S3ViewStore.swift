package import Foundation
package import PackFormat
package import PackRegistry
import PackRegistryAPI
import Synchronization

/// The view of a registry in S3-compatible storage: objects that devices and CDNs read without us.
///
/// Only the timestamp needs care, and it is replaced by one conditional write: the store compares the tag of what was seen and
/// replaces it, as one step. All other names belong to one content for ever.
package final class S3ViewStore: RemoteViewStore {
    private struct Seen {
        let bytes: [UInt8]
        let tag: String
    }

    /// The most bytes of a timestamp; devices read no larger one.
    private static let timestampByteCount = 1 << 20

    private let bucket: S3Bucket
    /// The timestamp with its tag, as it was read or shown last: most often the one that is replaced next.
    private let seen = Mutex<Seen?>(nil)

    init(_ bucket: S3Bucket) {
        self.bucket = bucket
    }

    @discardableResult
    package func put(_ files: [ViewFile]) async throws -> Set<ViewPath> {
        let bucket = bucket
        let missing = try await ParallelRequests(bucket).map(files) { file in
            try await bucket.info(file.path.description) == nil ? file : nil
        }.compactMap(\.self)
        try await ParallelRequests(bucket).forEach(missing) { file in
            try await bucket.put(file.path.description, file.bytes(), as: S3Kind(file.path))
        }
        return Set(missing.map(\.path))
    }

    /// Without a question for each before: the store itself refuses what is there.
    package func add(_ files: [ViewFile]) async throws {
        let bucket = bucket
        try await ParallelRequests(bucket).forEach(files) { file in
            try await bucket.put(file.path.description, file.bytes(), as: S3Kind(file.path), if: .isAbsent)
        }
    }

    package func show(_ timestamp: [UInt8], replacing shown: [UInt8]?) async throws {
        let name = ViewPath.timestamp.description
        let condition: S3Bucket.Condition
        if let shown {
            guard let current = try await current(as: shown), current.bytes == shown else { throw StaleView() }
            condition = .hasTag(current.tag)
        } else {
            condition = .isAbsent
        }
        switch try await bucket.put(name, timestamp, as: S3Kind(.timestamp), if: condition) {
        case .stored(let tag): seen.withLock { $0 = tag.map { Seen(bytes: timestamp, tag: $0) } }
        case .refused:
            // A write whose answer was lost was repeated, and the repetition is refused because the first one was not.
            guard try await readTimestamp()?.bytes == timestamp else { throw StaleView() }
        }
    }

    package func read(_ path: StoredPath, from offset: Int, maximumByteCount: Int) async throws -> ViewPart? {
        let part = try await bucket.read(path.description, from: offset, maximumByteCount: maximumByteCount)
        guard let part else { return nil }
        if path == .view(.timestamp), offset == 0, part.bytes.count == part.size { remember(part) }
        return ViewPart(part.bytes, size: part.size)
    }

    package func remove(_ paths: [ViewPath]) async throws {
        try await remove(listed: paths.map(\.description))
    }

    package func remove(listed names: [String]) async throws {
        let bucket = bucket
        try await ParallelRequests(bucket).forEach(names) { try await bucket.remove($0) }
    }

    // MARK: The timestamp

    /// The timestamp that is there, or was a moment ago: if it is not there any more, the write finds out.
    private func current(as shown: [UInt8]) async throws -> Seen? {
        if let seen = seen.withLock(\.self), seen.bytes == shown { return seen }
        return try await readTimestamp()
    }

    private func readTimestamp() async throws -> Seen? {
        let name = ViewPath.timestamp.description
        let part = try await bucket.read(name, from: 0, maximumByteCount: Self.timestampByteCount)
        guard let part else { return nil }
        guard part.bytes.count == part.size else { throw bucket.unusable("has a timestamp of \(part.size) bytes") }
        guard let seen = remember(part) else { throw bucket.unusable("gives no ETag for the timestamp") }
        return seen
    }

    @discardableResult
    private func remember(_ part: S3Bucket.Part) -> Seen? {
        let new = part.tag.map { Seen(bytes: part.bytes, tag: $0) }
        seen.withLock { $0 = new }
        return new
    }
}

// MARK: Files of this machine

extension S3ViewStore {
    package func put(_ path: StoredPath, file: URL, size: Int, digest: Digest) async throws {
        try await bucket.put(path.description, file: file, size: size, digest: digest, as: S3Kind(path))
    }
}

// MARK: What is there

extension S3ViewStore {
    package func readingURL(of path: StoredPath, seconds: Int) async throws -> String? {
        let (name, client) = (path.description, bucket.client)
        guard try await bucket.info(name) != nil else { return nil }
        return try await client.readingURL(of: client.location.key(name), seconds: seconds)
    }

    /// Lists all files whose names begin so, up to a thousand at a time: for checks, and for nothing that is done often.
    package func list(_ start: String, _ body: ([ListedFile]) async throws -> Void) async throws {
        var token: String?
        repeat {
            let page = try await bucket.list(start, after: token)
            try await body(page.objects.map { ListedFile(name: $0.name, size: $0.size) })
            token = page.next
        } while token != nil
    }
}
