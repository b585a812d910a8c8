package import Foundation
package import PackFormat

/// A zip whose structure is verified: it is safe to read, and every reader sees the same files.
///
///     let archive = try ValidatedArchive(file: url)
///     try archive.forEachFile { entry in MySink(entry.path) }     // nil skips a file
///
/// Only the headers are verified here. Content is verified (inflated, counted, CRC-32) as it is read;
/// ``PackageArchive`` checks whether it is the signed content.
package struct ValidatedArchive: Sendable {
    package struct Entry: Hashable, Sendable {
        package let path: PackagePath
        /// The unpacked size in bytes.
        package let size: Int
        /// The size in the zip in bytes.
        package let compressedSize: Int
    }

    package let file: URL
    /// The files in the order of the zip, without folders.
    package let entries: [Entry]
    /// The first name that readers may see differently, as it is not ASCII and not marked as UTF-8. Common tools write
    /// such zips; a package may not have one.
    let unmarkedName: PackagePath?
    private let structure: ZipStructure
    private let source: OpenFile

    /// - Throws: ``ArchiveError``
    package init(file: URL, limits: ArchiveLimits = .standard) throws {
        self.file = file
        do {
            source = try OpenFile.reading(file.path)
        } catch {
            throw ArchiveError(.unreadable(error.reason), file: file.path)
        }
        structure = try ZipStructure(judging: source, named: file.path, limits: limits)
        unmarkedName = structure.entries.first { !$0.isNameMarked }?.path
        entries = structure.entries.lazy.filter { !$0.isFolder }.map {
            Entry(path: $0.path, size: $0.size, compressedSize: $0.compressedSize)
        }
    }

    /// Reads all files once, in order. If `makeSink` returns nil for a file, the file is skipped and its content is
    /// not verified.
    /// - Throws: ``ArchiveError``, and the errors of the sinks.
    package func forEachFile(_ makeSink: (Entry) throws -> (any ContentSink)?) throws {
        // libarchive knows no archive without entries.
        if structure.entries.isEmpty { return }
        var current: PackagePath?
        do {
            var reader = try LibarchiveReader(source)
            for entry in structure.entries {
                current = entry.path
                try reader.next(entry)
                if entry.isFolder { continue }
                let file = Entry(path: entry.path, size: entry.size, compressedSize: entry.compressedSize)
                guard var sink = try makeSink(file) else { continue }
                try reader.read(entry) { try sink.write($0) }
                try sink.finish()
            }
            current = nil
            try reader.finish()
        } catch let signal as ZipFaultSignal {
            throw ArchiveError(signal.fault, file: file.path, entry: current?.text)
        } catch let fault as SystemFault {
            throw ArchiveError(.unreadable(fault.reason), file: file.path, entry: current?.text)
        }
    }

    /// Reads one small file into memory; nil if it does not exist.
    package func bytes(of path: PackagePath, maximumByteCount: Int) throws -> [UInt8]? {
        guard let entry = entries.first(where: { $0.path == path }) else { return nil }
        guard entry.size <= maximumByteCount else {
            throw ArchiveError(.fileTooLarge(limit: maximumByteCount), file: file.path, entry: path.text)
        }
        final class Memory: ContentSink {
            var bytes: [UInt8] = []
            func write(_ block: UnsafeRawBufferPointer) { bytes.append(contentsOf: block) }
            func finish() {}
        }
        let memory = Memory()
        try forEachFile { $0.path == path ? memory : nil }
        return memory.bytes
    }
}
