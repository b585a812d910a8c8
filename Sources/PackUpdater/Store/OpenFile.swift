import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// An open file that is closed when its owner is deallocated.
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

    /// Opens a file for reading; nil if there is none. Every other failure is an error: a file that cannot be
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
        let (descriptor, url) = (descriptor, url)
        try UpdateError.system("write", url) { () throws(FileFault) in
            try SystemCall.writeAll(bytes, to: descriptor, url)
        }
    }

    func write(_ bytes: [UInt8]) throws(UpdateError) {
        let (descriptor, url) = (descriptor, url)
        try UpdateError.system("write", url) { () throws(FileFault) in
            try SystemCall.writeAll(bytes, to: descriptor, url)
        }
    }

    /// The next bytes of the file; nil at its end.
    func read(upTo count: Int) throws(UpdateError) -> [UInt8]? {
        let descriptor = descriptor
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, got in
            let answer = SystemCall.read(descriptor, into: UnsafeMutableRawBufferPointer(memory))
            if answer < 0 { failure = errno }
            got = max(0, answer)
        }
        guard failure == 0 else {
            errno = failure
            throw .system("read", url)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Waits until the file's bytes are on the device.
    func sync() throws(UpdateError) {
        guard SystemCall.flush(descriptor) else { throw .system("sync", url) }
    }
}
