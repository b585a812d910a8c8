package import Foundation

/// A file that is written under a temporary name beside its final place, and gets its name only when it is complete.
///
/// Several staged files become visible together: write all of them, then commit all of them. One that is never
/// committed is removed.
package final class StagedFile: Sendable {
    package let destination: URL
    let file: OpenFile
    private let temporaryPath: String

    /// - Throws: ``ArchiveError`` if the folder cannot be written.
    package init(for destination: URL) throws {
        self.destination = destination
        let folder = destination.deletingLastPathComponent()
        let name = ".\(destination.lastPathComponent).\(UInt64.random(in: 0...UInt64.max)).tmp"
        temporaryPath = folder.appending(path: name).path
        do {
            file = try OpenFile.creating(temporaryPath)
        } catch {
            throw ArchiveError(.unwritable(error.reason), file: destination.path)
        }
    }

    deinit {
        // After a commit there is nothing of this name any more.
        unlink(temporaryPath)
    }

    /// Removes unfinished files that killed builds have left in a folder: those that were not changed for a day.
    package static func removeLeftovers(in folder: URL, now: Date = Date()) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(".") && name.hasSuffix(".tmp") && name.contains(".zip.") {
            let path = folder.appending(path: name).path
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let changed = attributes?[.modificationDate] as? Date else { continue }
            if now.timeIntervalSince(changed) > 86_400 { unlink(path) }
        }
    }

    /// Makes the content durable; the file does not stand in its place yet.
    func synchronize() throws {
        do {
            try file.synchronize()
        } catch {
            throw ArchiveError(.unwritable(error.reason), file: destination.path)
        }
    }

    /// Puts the file in place, replaces an existing one, and makes the name durable.
    package func commit() throws {
        do throws(SystemFault) {
            guard rename(temporaryPath, destination.path) == 0 else { throw SystemFault() }
            try OpenFile.synchronize(folder: destination.deletingLastPathComponent().path)
        } catch {
            throw ArchiveError(.unwritable(error.reason), file: destination.path)
        }
    }
}
