package import Foundation
package import PackFormat

/// Writes the plain zip of docs/FORMAT.md. The same contents under the same paths give the same bytes on any machine.
///
///     let compressor = try ContentCompressor(level: .standard, cache: nil)
///     let contents = try compressor.prepare([ContentRequest(.file(url), path: path)])
///     try ArchiveWriter().write([.init(path: path, content: contents[0])], to: zip)
///
/// Entries are sorted by path, and written on all cores; 1980-01-01, 0644, sizes and CRC-32 in the local headers, UTF-8
/// names, no extra fields and no data descriptors. The only exception is the zip64 field of an entry beyond 4 GiB.
package struct ArchiveWriter: Sendable {
    package struct Entry: Sendable {
        package let path: PackagePath
        package let content: PreparedContent

        package init(path: PackagePath, content: PreparedContent) {
            self.path = path
            self.content = content
        }
    }

    package init() {}

    /// Writes a zip from files and bytes; compresses on all cores.
    /// - Returns: The size of the zip in bytes.
    /// - Throws: ``ArchiveError``
    @discardableResult
    package static func write(
        _ requests: [ContentRequest], level: CompressionLevel = .standard, cache: CompressionCache? = nil, to zip: URL
    ) throws -> Int {
        try ContentCompressor.run(level: level, cache: cache) { compressor in
            let contents = try compressor.prepare(requests)
            return try ArchiveWriter().write(
                Swift.zip(requests, contents).map { Entry(path: $0.path, content: $1) }, to: zip)
        }
    }

    /// Writes a zip and puts it in place durably.
    /// - Returns: The size of the zip in bytes.
    @discardableResult
    package func write(_ entries: [Entry], to zip: URL) throws -> Int {
        let staged = try StagedFile(for: zip)
        let size = try write(entries, to: staged)
        try staged.commit()
        return size
    }

    /// Writes a zip that appears only when it is committed.
    /// - Returns: The size of the zip in bytes.
    package func write(_ entries: [Entry], to staged: StagedFile) throws -> Int {
        let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.path < $1.path }
        let sorted = isSorted ? entries : entries.sorted { $0.path < $1.path }
        for (entry, next) in zip(sorted, sorted.dropFirst()) where entry.path == next.path {
            throw ArchiveError(.duplicateName, file: staged.destination.path, entry: entry.path.text)
        }
        let layout = ArchiveLayout(sorted)
        do {
            let parts = try ConcurrentMap.run(layout.spans.count) { index in
                try Self.write(sorted, layout.spans[index], to: staged)
            }
            var directory = ZipDirectoryEncoder()
            for part in parts { directory.append(part) }
            var output = ArchiveOutput(staged.file, at: layout.end)
            try output.append(directory.bytes(at: layout.end))
            try output.flush()
            try staged.synchronize()
            return output.offset
        } catch let fault as SystemFault {
            throw ArchiveError(.unwritable(fault.reason), file: staged.destination.path)
        }
    }

    /// Writes some entries to their places.
    /// - Returns: their part of the central directory.
    private static func write(
        _ entries: [Entry], _ span: ArchiveLayout.Span, to staged: StagedFile
    ) throws -> ZipDirectoryEncoder {
        var output = ArchiveOutput(staged.file, at: span.offset)
        var directory = ZipDirectoryEncoder()
        for entry in entries[span.entries] {
            do {
                guard entry.content.object.size < ZipFormat.saturated32 else { throw ZipFaultSignal(.entryTooLarge) }
                directory.add(entry, at: output.offset)
                try output.append(ZipDirectoryEncoder.localHeader(of: entry))
                try output.append(entry.content)
            } catch let signal as ZipFaultSignal {
                throw ArchiveError(signal.fault, file: staged.destination.path, entry: entry.path.text)
            }
        }
        try output.flush()
        return directory
    }
}
