import Foundation
import NIOCore
import PackArchive
import PackFormat
import PackRegistry
import PackRegistryAPI
import PackSystem

/// Makes zips of sites when a client first needs one, and keeps them in a folder.
///
/// One zip is made at a time. Whoever asks for it meanwhile waits for the same work. The same zip has the same bytes on
/// every server, so several servers may use the folder, and it may be emptied at any time.
actor SiteArchiveStore {
    /// Zips that wait to be made. Beyond it clients have to come back.
    private static let maximumWaitingCount = 8
    /// Bytes of all zips that are kept. The oldest go first.
    private static let maximumByteCount = 8 << 30

    private let folder: URL
    private let view: URL
    private let queue = DispatchQueue(label: "packtool.site-archives", qos: .utility)
    private var making: [String: Task<Void, any Error>] = [:]
    private var digests = RecentCache<String, (stamp: FileStamp, digest: Digest)>(maximumCount: 4096)

    init(host: any RegistryHost) {
        folder = host.siteArchiveFolder
        view = host.viewFolder
    }

    /// A zip, which is made if it is not there.
    /// - Throws: ``RegistryError`` of the kind `.busy` if too many others are to be made first.
    func file(_ archive: SiteArchive) async throws -> ServedFile {
        if let file = try await known(archive) { return file }
        try await make(archive)
        guard let file = try await known(archive) else {
            throw RegistryError(.busy, "the zip of \(archive.manifest.package) is to be made once more; try again")
        }
        return file
    }

    /// A zip that is there; nil if it has to be made.
    func known(_ archive: SiteArchive) async throws -> ServedFile? {
        let place = place(of: archive)
        guard let open = try OpenFile(path: place.path(percentEncoded: false)) else { return nil }
        let digest: Digest
        if let known = digests.value(for: archive.name), known.stamp == open.stamp {
            digest = known.digest
        } else {
            digest = try await open.digest()
            digests.insert((open.stamp, digest), for: archive.name)
        }
        let size = open.stamp.size
        return ServedFile(
            digest: digest, size: size, content: .disk(open), heads: ServedFile.Heads(nil, digest: digest, size: size))
    }

    private func make(_ archive: SiteArchive) async throws {
        if let task = making[archive.name] { return try await task.value }
        guard making.count < Self.maximumWaitingCount else {
            throw RegistryError(.busy, "the registry makes as many zips as it can; try again shortly")
        }
        let (queue, folder, place, view) = (queue, folder, place(of: archive), view)
        // A client that goes away does not stop it: it comes back for the same zip.
        let task = Task {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result { try Self.write(archive, to: place, in: folder, view: view) })
                }
            }
        }
        making[archive.name] = task
        defer { making[archive.name] = nil }
        try await task.value
    }

    private func place(of archive: SiteArchive) -> URL {
        folder.appending(path: archive.name, directoryHint: .notDirectory)
    }

    // MARK: On the queue

    private static func write(_ archive: SiteArchive, to place: URL, in folder: URL, view: URL) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            StagedFile.removeLeftovers(in: folder)
            let requests = try archive.contents { .file(view.appending(path: ViewPath.object($0).description)) }
            try ArchiveWriter.write(requests, to: place)
            removeOldest(in: folder, keeping: place)
        } catch let error as ArchiveError {
            throw RegistryError(.unusable, "the zip of \(archive.manifest.package) cannot be made: \(error)")
        }
    }

    /// Removes the oldest zips until the others have room.
    private static func removeOldest(in folder: URL, keeping kept: URL) {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))
        let files = (found ?? []).compactMap { url -> (url: URL, size: Int, time: Date)? in
            guard url.pathExtension == "zip", let values = try? url.resourceValues(forKeys: keys) else { return nil }
            return (url, values.fileSize ?? 0, values.contentModificationDate ?? .distantPast)
        }
        var left = files.reduce(0) { $0 + $1.size }
        for file in files.sorted(by: { $0.time < $1.time })
        where left > maximumByteCount && file.url.lastPathComponent != kept.lastPathComponent {
            try? FileManager.default.removeItem(at: file.url)
            left -= file.size
        }
    }
}
