import Foundation

/// A file that is open, closed when its owner is gone.
struct OpenFile: ~Copyable {
    let descriptor: Int32
    let url: URL

    /// - Parameter mode: of a file that is made; what a store has is its owner's alone.
    init(_ url: URL, flags: Int32, mode: mode_t = 0o600) throws(UpdateError) {
        let descriptor = open(url.path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .system("open", url) }
        self.descriptor = descriptor
        self.url = url
    }

    /// Opens a file for reading; nil where there is none. Every other failure is an error: a file that cannot be
    /// opened now (too many open ones, a sick disk) is not a file that is gone.
    init?(existing url: URL) throws(UpdateError) {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .system("open", url)
        }
        self.descriptor = descriptor
        self.url = url
    }

    deinit {
        close(descriptor)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(UpdateError) {
        try Self.write(bytes, to: descriptor, url: url)
    }

    func write(_ bytes: [UInt8]) throws(UpdateError) {
        do {
            try bytes.withUnsafeBytes { try Self.write($0, to: descriptor, url: url) }
        } catch let error as UpdateError {
            throw error
        } catch {
            throw .fileFailed(action: "write", path: url.path, reason: "\(error)")
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, url: URL) throws(UpdateError) {
        var rest = bytes
        while let address = rest.baseAddress, !rest.isEmpty {
            #if canImport(Darwin)
                let written = Darwin.write(descriptor, address, rest.count)
            #else
                let written = Glibc.write(descriptor, address, rest.count)
            #endif
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .system("write", url) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Whether the file still stands under its name: a lock on one that was removed locks nobody out.
    var isNamed: Bool { Durable.isNamed(descriptor, as: url) }

    /// Waits until the file's bytes are on the device.
    func sync() throws(UpdateError) {
        #if canImport(Darwin)
            // fsync only hands the bytes to the drive; a file system without the call has nothing better.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        try handOver()
    }

    /// Hands the file's bytes to the device; on Darwin it may still have them in its cache.
    func handOver() throws(UpdateError) {
        guard fsync(descriptor) == 0 else { throw .system("sync", url) }
    }
}
