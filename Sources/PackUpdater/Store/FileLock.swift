import Foundation

/// A lock on a file (flock), held until its owner is gone, and by no process that died: also between two updaters
/// of one process, as each opens the file itself.
final class FileLock: Sendable {
    enum Kind { case shared, exclusive }

    let url: URL
    private let file: OpenFile

    /// Waits for the lock.
    /// - Parameter creating: false locks a file that is there, which may be one that nobody writes.
    static func wait(for url: URL, _ kind: Kind, creating: Bool = true) throws(UpdateError) -> FileLock {
        while true {
            let file = try OpenFile(url, flags: creating ? O_RDWR | O_CREAT : O_RDONLY)
            while flock(file.descriptor, kind == .shared ? LOCK_SH : LOCK_EX) != 0 {
                guard errno == EINTR else { throw .system("lock", url) }
            }
            // Who had it may have removed the file: the lock that counts is on the one that has the name.
            if file.isNamed { return FileLock(url: url, file: file) }
        }
    }

    /// nil where somebody else holds the lock.
    static func take(_ url: URL, _ kind: Kind, creating: Bool = true) throws(UpdateError) -> FileLock? {
        while true {
            let file = try OpenFile(url, flags: creating ? O_RDWR | O_CREAT : O_RDONLY)
            guard flock(file.descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
                if errno == EWOULDBLOCK || errno == EINTR { return nil }
                throw .system("lock", url)
            }
            if file.isNamed { return FileLock(url: url, file: file) }
        }
    }

    private init(url: URL, file: consuming OpenFile) {
        self.url = url
        self.file = file
    }

    deinit { unlock() }

    /// Gives the lock back now, whoever still knows this value.
    func unlock() {
        // Said and not left to the closing: a process that is being forked at this moment has a copy of the file.
        flock(file.descriptor, LOCK_UN)
    }

    /// Notes who holds the lock, for the message that others get. The lock itself does not depend on it.
    func note(_ text: String) {
        guard ftruncate(file.descriptor, 0) == 0 else { return }
        let bytes = Array(text.utf8)
        _ = pwrite(file.descriptor, bytes, bytes.count, 0)
    }
}
