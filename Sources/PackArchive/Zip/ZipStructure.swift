import Foundation
import PackFormat

/// The content of a zip's headers, verified as a whole before anything is unpacked.
///
/// Two readers of one zip can see two different sites: one uses the local headers, another the central directory, a
/// third searches for signatures. So an archive passes only if there is one way to read it: the entries and the
/// central directory fill the file without gap or overlap, and every local header agrees with the central one.
/// Archives of the common tools (zip, bsdtar, 7z, Python) pass; their data descriptors, times and owners are
/// harmless.
struct ZipStructure: Sendable {
    struct Entry: Sendable {
        /// Without the slash at the end that marks a folder.
        let path: PackagePath
        let isFolder: Bool
        /// Bytes.
        let compressedSize: Int
        let size: Int
        /// [4.4.4] A name beyond ASCII without bit 11 is UTF-8 for one reader and code page 437 for another.
        let isNameMarked: Bool
    }

    /// Files and folders in the order in which they stand in the file.
    let entries: [Entry]

    init(judging file: OpenFile, named name: String, limits: ArchiveLimits) throws {
        var current: String?
        do {
            let size = file.size
            guard size <= limits.maximumArchiveSize else {
                throw ZipFaultSignal(.archiveTooLarge(limit: limits.maximumArchiveSize))
            }
            let end = try ZipEndRecord(of: file, size: size)
            guard end.entryCount <= limits.maximumFileCount else {
                throw ZipFaultSignal(.tooManyFiles(limit: limits.maximumFileCount))
            }
            let headers = try ZipCentralDirectory(of: file, end: end, entry: &current).headers
            let tiled = try ZipTiling(headers: headers, file: file, end: end.directoryOffset, entry: &current)
            current = nil
            try Self.judgeNames(tiled.entries, entry: &current)
            current = nil
            try Self.judgeSizes(tiled.entries, archiveSize: size, limits: limits, entry: &current)
            entries = tiled.entries
        } catch let signal as ZipFaultSignal {
            throw ArchiveError(signal.fault, file: name, entry: current)
        } catch let fault as SystemFault {
            throw ArchiveError(.unreadable(fault.reason), file: name)
        }
    }

    private static func judgeNames(_ entries: [Entry], entry current: inout String?) throws(ZipFaultSignal) {
        var seen: Set<PackagePath> = []
        for entry in entries where !seen.insert(entry.path).inserted {
            current = entry.path.text
            throw ZipFaultSignal(.duplicateName)
        }
        if let pair = PathCollisions.first(in: entries.lazy.filter { !$0.isFolder }.map(\.path)) {
            throw ZipFaultSignal(.collidingNames(pair))
        }
        let files = Dictionary(
            entries.lazy.filter { !$0.isFolder }.map { ($0.path.collisionKey, $0.path) }, uniquingKeysWith: { $1 })
        var folders: [String: PackagePath] = [:]
        for entry in entries where entry.isFolder {
            let key = entry.path.collisionKey
            if let other = files[key] ?? folders.updateValue(entry.path, forKey: key) {
                throw ZipFaultSignal(
                    .collidingNames(
                        "\"\(other)\" and \"\(entry.path)/\" are one name where case or Unicode form does not count"))
            }
        }
    }

    private static func judgeSizes(
        _ entries: [Entry], archiveSize: Int, limits: ArchiveLimits, entry current: inout String?
    ) throws(ZipFaultSignal) {
        var total = 0
        for entry in entries {
            current = entry.path.text
            guard entry.size <= limits.maximumFileSize else {
                throw ZipFaultSignal(.fileTooLarge(limit: limits.maximumFileSize))
            }
            guard !limits.refusesRatio(size: entry.size, compressedSize: entry.compressedSize) else {
                throw ZipFaultSignal(.ratio(limit: limits.maximumRatio))
            }
            total += entry.size
            guard total <= limits.maximumTotalSize else {
                throw ZipFaultSignal(.totalTooLarge(limit: limits.maximumTotalSize))
            }
        }
        current = nil
        guard !limits.refusesRatio(size: total, compressedSize: archiveSize) else {
            throw ZipFaultSignal(.ratio(limit: limits.maximumRatio))
        }
    }
}
