import Crypto
import Foundation
import NIOCore
import NIOPosix
import PackFormat
import PackRegistryAPI
import PackSystem

/// A file that is open for reading. Its content stays readable if the file is removed or replaced meanwhile.
final class OpenFile: Sendable {
    /// What the disk is read by at once.
    static let chunkByteCount = 256 << 10

    let stamp: FileStamp
    private let descriptor: Int32

    /// nil if there is no regular file.
    /// - Throws: ``RegistryError`` if there may be one: a file that could not be opened must not be told from one that
    ///   is not there.
    convenience init?(path: String) throws(RegistryError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 {
            switch errno {
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: return nil
            case EMFILE, ENFILE, ENOMEM: throw RegistryError(.busy, "too many files are open here: try again")
            case let code: throw RegistryError(SystemCall.failure("opened", URL(filePath: path), code: code))
            }
        }
        guard let stamp = FileStamp(descriptor: descriptor) else {
            close(descriptor)
            return nil
        }
        self.init(descriptor: descriptor, stamp: stamp)
    }

    private init(descriptor: Int32, stamp: FileStamp) {
        self.descriptor = descriptor
        self.stamp = stamp
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The stamp of a file that is not open: reading fails.
    static func none(_ stamp: FileStamp) -> OpenFile { OpenFile(descriptor: -1, stamp: stamp) }

    /// A part of the file for `sendfile`, with a descriptor of its own; its handle is to be closed after the writing.
    func region(_ bounds: Range<Int>) throws -> FileRegion {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw IOError(errnoCode: errno, reason: "fcntl") }
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: copy)
        return FileRegion(fileHandle: handle, readerIndex: bounds.lowerBound, endIndex: bounds.upperBound)
    }

    /// The whole content.
    func contents() async throws -> ByteBuffer {
        try await NIOThreadPool.singleton.runIfActive { try self.read(at: 0, count: self.stamp.size) }
    }

    /// The SHA-256 of the content, in bounded memory.
    func digest() async throws -> PackFormat.Digest {
        try await NIOThreadPool.singleton.runIfActive { PackFormat.Digest(try self.hash(by: SHA256())) }
    }

    /// The MD5 of the content, in bounded memory: for clients that know no other hash. It protects against nobody.
    func md5() async throws -> [UInt8] {
        try await NIOThreadPool.singleton.runIfActive { Array(try self.hash(by: Insecure.MD5())) }
    }

    private func hash<Function: HashFunction>(by function: Function) throws -> Function.Digest {
        var hash = function
        var offset = 0
        while offset < stamp.size {
            let chunk = try read(at: offset, count: min(Self.chunkByteCount, stamp.size - offset))
            chunk.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            offset += chunk.readableBytes
        }
        return hash.finalize()
    }

    /// One piece of the content, at most a chunk.
    func chunk(at offset: Int, atMost count: Int) async throws -> ByteBuffer {
        try await NIOThreadPool.singleton.runIfActive {
            try self.read(at: offset, count: min(count, Self.chunkByteCount))
        }
    }

    private func read(at offset: Int, count: Int) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        try read(into: &buffer, at: offset, count: count)
        return buffer
    }

    /// Appends a piece of the content, on the calling thread.
    /// - Throws: `IOError`, also where the file ends before the piece.
    func read(into buffer: inout ByteBuffer, at offset: Int, count: Int) throws {
        let end = buffer.readableBytes + count
        while buffer.readableBytes < end {
            let wanted = end - buffer.readableBytes
            let position = off_t(offset + count - wanted)
            let got = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { memory in
                var got = pread(descriptor, memory.baseAddress, wanted, position)
                while got < 0, errno == EINTR { got = pread(descriptor, memory.baseAddress, wanted, position) }
                guard got >= 0 else { throw IOError(errnoCode: errno, reason: "read") }
                return got
            }
            // The file became shorter under us: the length that was promised cannot be kept, so the connection ends.
            if got == 0 { throw IOError(errnoCode: EIO, reason: "the file became shorter") }
        }
    }
}
