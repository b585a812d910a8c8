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

/// An advisory lock on a file, among processes and within one. If the holder dies, the system releases it.
package struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits until the lock is free.
    package init(_ file: URL) throws(FileFault) {
        let descriptor = try Self.open(file)
        guard SystemCall.lock(descriptor, waiting: true) else {
            let error = SystemCall.failure("locked", file)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    /// Acquires the lock if it is free; nil if somebody holds it.
    package init?(ifFree file: URL) throws(FileFault) {
        let descriptor = try Self.open(file)
        guard SystemCall.lock(descriptor, waiting: false) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// For writing, which locks on network file systems need; else for reading, where another user made the file.
    private static func open(_ file: URL) throws(FileFault) -> Int32 {
        do {
            return try SystemCall.open(file, O_RDWR | O_CREAT, mode: 0o644)
        } catch {
            return try SystemCall.open(file, O_RDONLY | O_CREAT, mode: 0o644)
        }
    }
}
