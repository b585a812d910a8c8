#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A lock on a file (flock), shared or exclusive, until it is unlocked or its last reference is gone. If the holder
/// dies, the system releases it. It also excludes other holders in the same process, because each opens the file
/// itself.
package final class FileLock: Sendable {
    package enum Kind: Sendable { case shared, exclusive }

    package let url: URL
    private let descriptor: Int32

    /// Waits for the lock.
    /// - Parameter creating: False locks an existing file, which may be one that nobody writes.
    package static func wait(for url: URL, _ kind: Kind, creating: Bool) throws(FileFault) -> FileLock {
        while true {
            let lock = try FileLock(url, creating: creating)
            guard SystemCall.lock(lock.descriptor, exclusive: kind == .exclusive, waiting: true) else {
                throw SystemCall.failure("locked", url)
            }
            // Who had it may have removed the file: the lock that counts is on the one that has the name.
            if SystemCall.isNamed(lock.descriptor, as: url) { return lock }
        }
    }

    /// Acquires the lock if it is free; nil if somebody else holds it.
    /// - Parameter mode: The permissions of a file that is created.
    package static func take(
        _ url: URL, _ kind: Kind, creating: Bool, mode: UInt32 = 0o600
    ) throws(FileFault) -> FileLock? {
        while true {
            let lock = try FileLock(url, creating: creating, mode: mode)
            guard SystemCall.lock(lock.descriptor, exclusive: kind == .exclusive, waiting: false) else {
                if errno == EWOULDBLOCK { return nil }
                throw SystemCall.failure("locked", url)
            }
            if SystemCall.isNamed(lock.descriptor, as: url) { return lock }
        }
    }

    private init(_ url: URL, creating: Bool, mode: UInt32 = 0o600) throws(FileFault) {
        self.url = url
        descriptor = try SystemCall.open(url, creating ? O_RDWR | O_CREAT : O_RDONLY, mode: mode)
    }

    deinit {
        unlock()
        close(descriptor)
    }

    /// Releases the lock now, even if others still have this value.
    package func unlock() {
        // Said and not left to the closing: a process that is being forked at this moment has a copy of the file.
        flock(descriptor, LOCK_UN)
    }

    /// Records the holder of the lock, for the message that others get. The lock itself does not depend on it.
    package func note(_ text: String) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        let bytes = Array(text.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }
}
