#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#endif

/// An open file of this process that is closed when the value is destroyed.
struct OpenFile: ~Copyable {
    private let descriptor: CInt
    private let path: String

    private init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Opens a file to read it.
    init(reading url: URL) throws(PatchError) {
        try self.init(url.path, flags: O_RDONLY | O_CLOEXEC, operation: "open")
    }

    /// Creates a file, or empties one that exists.
    init(writing url: URL) throws(PatchError) {
        try self.init(url.path, flags: O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, operation: "write")
    }

    /// Creates a file in `folder` that has no name, so that no other process can change it under a mapping and
    /// nothing stays behind when this one is killed.
    init(scratchIn folder: URL) throws(PatchError) {
        let url = folder.appendingPathComponent(".patch-\(UUID().uuidString)")
        try self.init(
            url.path, flags: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, operation: "create a temporary file at")
        _ = unlink(url.path)
    }

    private init(_ path: String, flags: CInt, operation: String) throws(PatchError) {
        let descriptor = open(path, flags, 0o644)
        guard descriptor >= 0 else { throw Self.failure(operation, path) }
        self.init(descriptor: descriptor, path: path)
    }

    /// Bytes.
    func size() throws(PatchError) -> Int {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw Self.failure("inspect", path) }
        return Int(info.st_size)
    }

    /// Reads up to the size of `buffer`.
    /// - Returns: The number of bytes read; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PatchError) -> Int {
        guard let base = buffer.baseAddress, buffer.count > 0 else { return 0 }
        while true {
            let count = systemRead(descriptor, base, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw Self.failure("read", path) }
        }
    }

    /// Writes all of `bytes`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(PatchError) {
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = systemWrite(descriptor, base, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno != EINTR {
                throw Self.failure("write", path)
            }
        }
    }

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }

    /// Maps the first `count` bytes, which must exist, to read them.
    func map(count: Int) throws(PatchError) -> MappedMemory {
        try MappedMemory(count: count, protection: PROT_READ, flags: MAP_PRIVATE, descriptor: descriptor)
    }

    private static func failure(_ operation: String, _ path: String) -> PatchError {
        .system(operation: operation, path: path, reason: String(cString: strerror(errno)))
    }
}

// Inside `OpenFile` the names `read` and `write` mean its own methods.
private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
