import PackSystem

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// Reads a published view from a folder: a registry on the same machine, or a preset.
package struct FolderTransport: UpdateTransport {
    let folder: URL

    package init(folder: URL) {
        self.folder = folder
    }

    package func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer {
        let url = try url(path)
        guard let size = Durable.size(of: url) else { return .missing }
        guard size <= maximumByteCount else {
            throw UpdateError.badAnswer(address: url.path, reason: "it is longer than \(maximumByteCount) bytes")
        }
        guard let bytes = try Durable.read(url, maximumByteCount: maximumByteCount) else { return .missing }
        return .bytes(bytes, validator: nil)
    }

    package func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool {
        let source = try url(path)
        guard let size = Durable.size(of: source) else { return false }
        guard size <= maximumByteCount else {
            throw UpdateError.badAnswer(address: source.path, reason: "it is longer than \(maximumByteCount) bytes")
        }
        let reader = try OpenFile(source, flags: O_RDONLY)
        let writer = try OpenFile(file, flags: O_WRONLY | O_CREAT | O_TRUNC)
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        var total = 0
        while true {
            let count = chunk.withUnsafeMutableBytes { SystemCall.read(reader.descriptor, into: $0) }
            guard count >= 0 else { throw UpdateError.system("read", source) }
            if count == 0 { return true }
            total += count
            guard total <= maximumByteCount else {
                throw UpdateError.badAnswer(address: source.path, reason: "it is longer than \(maximumByteCount) bytes")
            }
            DownloadMeter.current?.report(path, received: total, expected: size)
            try chunk.withUnsafeBytes { try writer.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    /// A path that leaves the folder is a fault of the caller; it is refused all the same.
    private func url(_ path: String) throws(UpdateError) -> URL {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8) }) else {
            throw .notFound(address: path)
        }
        return folder.appending(path: path)
    }
}
