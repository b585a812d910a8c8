#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a range of a file in chunks, in constant memory. The file is opened at the start, so that a cleanup
/// meanwhile does not break the answer.
///
///     var reader = try FileReader(url, range: range)
///     while let chunk = try reader.next() { … }
public struct FileReader: ~Copyable {
    /// The bytes in a chunk: large enough that the cost of a call is negligible, small enough for many chunks at
    /// once.
    public static let chunkSize = 256 << 10

    // The system's own calls: a FileHandle asks for the file's status and takes a lock at each turn.
    private let descriptor: Int32
    private let path: String
    private var remaining: Int

    /// - Throws: ``WebError/unreadableFile(_:reason:)``
    public init(_ url: URL, range: Range<Int>) throws(WebError) {
        path = url.path
        remaining = range.count
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadableFile(path, reason: Self.reason) }
        if range.lowerBound > 0, lseek(descriptor, off_t(range.lowerBound), SEEK_SET) < 0 {
            throw .unreadableFile(path, reason: Self.reason)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The next chunk; nil after the last.
    /// - Throws: ``WebError/unreadableFile(_:reason:)``, also if the file ends before the range does.
    public mutating func next() throws(WebError) -> Data? {
        guard remaining > 0 else { return nil }
        let size = min(remaining, Self.chunkSize)
        guard let memory = malloc(size) else { throw .unreadableFile(path, reason: "there is no memory for it") }
        do throws(WebError) {
            let count = try read(into: UnsafeMutableRawBufferPointer(start: memory, count: size))
            return Data(bytesNoCopy: memory, count: count, deallocator: .free)
        } catch {
            free(memory)
            throw error
        }
    }

    /// Reads the next bytes into memory of the caller, as many as there is place for, and returns their number: 0 after the last.
    /// - Throws: ``WebError/unreadableFile(_:reason:)``, also if the file ends before the range does.
    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(WebError) -> Int {
        let size = min(remaining, buffer.count)
        guard size > 0, let memory = buffer.baseAddress else { return 0 }
        var count = 0
        while count < size {
            let got = systemRead(descriptor, memory + count, size - count)
            if got < 0, errno == EINTR { continue }
            // Cut short since it was opened: what is there is handed over, and the next call says so.
            if got == 0, count > 0 { break }
            guard got > 0 else {
                throw .unreadableFile(path, reason: got < 0 ? Self.reason : "it is shorter than it should be")
            }
            count += got
        }
        remaining -= count
        return count
    }

    private static var reason: String { String(cString: strerror(errno)) }
}

/// `read(2)`, whose name is that of a method.
private func systemRead(_ descriptor: Int32, _ memory: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, memory, count)
}
