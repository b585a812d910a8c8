import Foundation

/// A file that is open, closed when its owner is gone.
struct OpenFile: ~Copyable {
    let descriptor: Int32
    let url: URL

    init(_ url: URL, flags: Int32, mode: mode_t = 0o644) throws(UpdateError) {
        let descriptor = open(url.path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .system("open", url) }
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

    /// Waits until the file's bytes are on the device.
    func sync() throws(UpdateError) {
        guard fsync(descriptor) == 0 else { throw .system("sync", url) }
    }
}
