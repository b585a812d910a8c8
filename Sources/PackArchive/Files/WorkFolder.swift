package import Foundation

#if canImport(Glibc)
    import CDispatch  // `stat` belongs to it or to Glibc, whichever module was loaded first.
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A separate folder for temporary files, below one folder of the user (`packtool-UID`, mode 0700). It is removed at
/// the end; if this process is killed, by the next process. A living process holds a lock.
///
///     let work = try WorkFolder()
///     try write(to: work.url.appending(path: "partial.zip"))
package struct WorkFolder: ~Copyable {
    package let url: URL
    private let lock: Int32

    /// - Throws: ``ArchiveError`` if the folder cannot be created, or belongs to somebody else.
    package init(in temporary: URL = FileManager.default.temporaryDirectory) throws {
        let parent = Self.parent(in: temporary)
        let gate = try Self.gate(parent)
        // Under the gate no folder is seen between its making and its locking.
        defer { close(gate) }
        Self.removeAbandoned(in: parent)
        let folder = parent.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        guard mkdir(folder.path, 0o700) == 0 else { throw Self.failure(folder) }
        let lock = Self.open(folder, O_RDWR | O_CREAT)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw Self.failure(folder) }
        url = folder
        self.lock = lock
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        close(lock)
    }

    /// Removes what killed processes have left. It costs one lookup if there is nothing.
    package static func sweep(in temporary: URL = FileManager.default.temporaryDirectory) {
        let parent = parent(in: temporary)
        guard access(parent.path, F_OK) == 0, let gate = try? gate(parent) else { return }
        defer { close(gate) }
        removeAbandoned(in: parent)
    }

    private static func parent(in temporary: URL) -> URL {
        temporary.appending(path: "packtool-\(geteuid())", directoryHint: .isDirectory)
    }

    /// Others write to the folder for temporary files as well: one that they made in our name is not used.
    private static func gate(_ parent: URL) throws -> Int32 {
        guard mkdir(parent.path, 0o700) == 0 || errno == EEXIST else { throw failure(parent) }
        var status = stat()
        guard lstat(parent.path, &status) == 0 else { throw failure(parent) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw ArchiveError(
                .unwritable("it is somebody else's: remove it, or set TMPDIR to a folder of your own"),
                file: parent.path)
        }
        if status.st_mode & 0o077 != 0 { chmod(parent.path, 0o700) }
        let gate = open(parent, O_RDWR | O_CREAT)
        guard gate >= 0 else { throw failure(parent) }
        while flock(gate, LOCK_EX) != 0 {
            guard errno == EINTR else {
                defer { close(gate) }
                throw failure(parent)
            }
        }
        return gate
    }

    private static func removeAbandoned(in parent: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where UUID(uuidString: name) != nil {
            let folder = parent.appending(path: name, directoryHint: .isDirectory)
            let lock = open(folder, O_RDWR)
            // Without a lock its maker died before it had one, or while it removed it.
            guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                close(lock)
                continue
            }
            try? FileManager.default.removeItem(at: folder)
            if lock >= 0 { close(lock) }
        }
    }

    private static func open(_ folder: URL, _ flags: Int32) -> Int32 {
        let path = folder.appending(path: "lock", directoryHint: .notDirectory).path
        return systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    private static func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, mode)
        #else
            Darwin.open(path, flags, mode)
        #endif
    }

    private static func failure(_ folder: URL) -> ArchiveError {
        ArchiveError(.unwritable(String(cString: strerror(errno))), file: folder.path)
    }
}
