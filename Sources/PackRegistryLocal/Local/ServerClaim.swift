import Foundation
import PackRegistryAPI
import PackSystem

/// The right of one server to a registry's folder. Two servers would make every patch twice, and an operator who
/// starts a second one has usually forgotten the first.
package final class ServerClaim: Sendable {
    private let lock: FolderLock

    /// How long one who only looks whether a server is there may be in the way.
    private static let patience = 0.5

    init(_ files: RegistryFolder) throws {
        let end = Date.now + Self.patience
        var found = try FolderLock(ifFree: files.serverLock)
        while found == nil, Date.now < end {
            Thread.sleep(forTimeInterval: 0.02)
            found = try FolderLock(ifFree: files.serverLock)
        }
        guard let lock = found else {
            let holder = (try? String(contentsOf: files.serverLock, encoding: .utf8)).flatMap { Int32($0) }
            throw RegistryError(
                .conflict,
                "another packtool serve has the registry in \(files.name)"
                    + (holder.map { " (process \($0))" } ?? "") + ": stop that one first, or serve another registry")
        }
        self.lock = lock
        // Only for the message: the lock decides.
        try? FileHandle(forWritingTo: files.serverLock).replaceContents(with: "\(getpid())")
    }
}

extension FileHandle {
    fileprivate func replaceContents(with text: String) throws {
        try truncate(atOffset: 0)
        try write(contentsOf: Data(text.utf8))
        try close()
    }
}
