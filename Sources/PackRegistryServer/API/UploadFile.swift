import Crypto
import Foundation
import NIOCore
import NIOPosix
import PackFormat
import PackRegistryAPI

/// A request body that is being written to disk and hashed as it arrives, in bounded memory.
///
/// The file is locked while it is written, and its name has its own prefix. So the next start can tell files that a
/// killed server has left from those that another one is writing, and removes them.
final class UploadFile: Sendable {
    private static let prefix = "http-upload-"

    let url: URL
    private let descriptor: Int32

    /// - Throws: ``RegistryError`` if the folder cannot be written.
    init(folder: URL) throws {
        url = folder.appending(path: Self.prefix + UUID().uuidString.lowercased() + ".zip")
        descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(errno, "an upload cannot be kept in \(folder.path)") }
        flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
        unlink(url.path)
        close(descriptor)
    }

    /// Takes the whole body.
    /// - Returns: its length and SHA-256.
    /// - Throws: `tooLarge` at the first byte over the limit, `full` where the disk is.
    func receive(
        _ body: some AsyncSequence<ByteBuffer, any Error>, atMost limit: Int
    ) async throws -> (size: Int, digest: PackFormat.Digest) {
        var hash = SHA256()
        var size = 0
        var pending = ByteBuffer()
        for try await chunk in body {
            size += chunk.readableBytes
            guard size <= limit else {
                throw RegistryError(.tooLarge, "the upload is larger than the \(limit) bytes that are accepted here")
            }
            hash.update(data: chunk.readableBytesView)
            pending.writeImmutableBuffer(chunk)
            if pending.readableBytes >= OpenFile.chunkByteCount {
                try await write(pending)
                pending.clear(minimumCapacity: OpenFile.chunkByteCount)
            }
        }
        try await write(pending)
        return (size, PackFormat.Digest(hash.finalize()))
    }

    private func write(_ bytes: ByteBuffer) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            try bytes.withUnsafeReadableBytes { memory in
                var rest = memory
                while let base = rest.baseAddress, !rest.isEmpty {
                    let count = Foundation.write(self.descriptor, base, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count >= 0 else { throw Self.failure(errno, "the upload cannot be written") }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }
    }

    /// Removes what servers that were killed left in the folder.
    static func removeLeftovers(in folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = folder.appending(path: name).path
            let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    private static func failure(_ code: Int32, _ what: String) -> RegistryError {
        let isFull = code == ENOSPC || code == EDQUOT || code == EFBIG
        let reason = String(cString: strerror(code))
        return RegistryError(
            isFull ? .full : .unusable,
            isFull ? "\(what): the registry's disk is full; free space there and try again" : "\(what): \(reason)")
    }
}
