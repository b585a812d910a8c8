public import Foundation
import Glibc
import PackWebOnline

/// A folder for a view's downloads. A file is there completely or not at all, replaces no other file, and all files
/// together have a limit.
///
/// Unfinished downloads are in a separate folder, `.packtool-partial`, which is emptied at the start, so a power cut
/// leaves nothing either.
public final class DownloadFolder: Sendable {
    public let folder: URL
    /// The most bytes of all files in the folder together, including those that were there before.
    public let limit: Int
    private let partial: URL
    /// Held while the folder is in use.
    private let lock: Int32

    /// - Throws: ``DownloadError`` if the folder cannot be created or belongs to somebody else.
    public init(_ folder: URL, limit: Int) throws {
        self.folder = folder.absoluteURL.standardizedFileURL
        self.limit = limit
        partial = self.folder.appendingPathComponent(".packtool-partial")
        do {
            try FileManager.default.createDirectory(
                at: partial, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DownloadError.unusable(folder.path, "\(error.localizedDescription)")
        }
        lock = open(partial.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            if lock >= 0 { close(lock) }
            throw DownloadError.unusable(folder.path, "another program saves its downloads there")
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: partial.path)) ?? [] {
            unlink(partial.appendingPathComponent(name).path)
        }
    }

    deinit { close(lock) }

    /// Where a download is written while it is under way.
    func place(of number: Int) -> URL { partial.appendingPathComponent("\(number)") }

    /// Bytes that may still come.
    var room: Int { max(0, limit - used) }

    private var used: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.reduce(0) { sum, name in
            let size = Self.size(of: folder.appendingPathComponent(name)) ?? 0
            return sum.addingReportingOverflow(size).partialValue
        }
    }

    /// Takes away what has come of a download, by the name that WebKit writes to as well.
    func remove(_ number: Int) {
        let path = place(of: number).path
        unlink(path)
        unlink(path + ".wkdownload")
    }

    /// Gives a whole file its name, or the next one that is free.
    /// - Parameter announced: its size in bytes, where the server has said it: WebKit takes what breaks off for the whole.
    /// - Returns: where it is and its size in bytes.
    func keep(_ number: Int, as name: String, of announced: Int?) throws -> (file: URL, size: Int) {
        let from = place(of: number)
        let descriptor = open(from.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let size = Self.size(of: from) else { throw Self.fault(from) }
        let isOnDisk = fsync(descriptor) == 0
        close(descriptor)
        guard isOnDisk else { throw Self.fault(from) }
        if let announced, size != announced { throw DownloadError.incomplete(size: size, of: announced) }
        guard size <= room else { throw DownloadError.tooLarge(limit: limit) }
        for copy in 1...9_999 {
            let file = folder.appendingPathComponent(DownloadName.copy(copy, of: name))
            if try Self.move(from, to: file) { return (file, size) }
        }
        throw DownloadError.unusable(folder.path, "there are 9,999 files with the name \(name)")
    }

    /// - Returns: false if the name is taken.
    private static func move(_ from: URL, to file: URL) throws -> Bool {
        if link(from.path, file.path) == 0 {
            unlink(from.path)
            return true
        }
        if errno == EEXIST { return false }
        // A file system without hard links, such as a stick's: the name is taken first, and then replaced by the file.
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw fault(file)
        }
        close(descriptor)
        guard rename(from.path, file.path) == 0 else {
            let error = fault(file)
            unlink(file.path)
            throw error
        }
        return true
    }

    private static func fault(_ file: URL) -> DownloadError { .unusable(file.path, String(cString: strerror(errno))) }

    private static func size(of file: URL) -> Int? {
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}

/// Why a download is not saved.
public enum DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    case unusable(String, String)
    case tooLarge(limit: Int)
    case incomplete(size: Int, of: Int)

    public var description: String {
        switch self {
        case .unusable(let place, let reason): "\(place) takes no downloads: \(reason)"
        case .incomplete(let size, let whole): "only \(size) of \(whole) bytes have come"
        case .tooLarge(let limit):
            "the folder for downloads may hold \(limit) bytes, and with this file it would hold more"
        }
    }
}
