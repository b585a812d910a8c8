import Foundation
import PackSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How copies of remote files are put in place: whole or not at all, and not synchronized. What a power cut takes is fetched again.
/// Folders get their mode here: FileManager leaves it to the umask, under which others may write the copies.
enum CopyFile {
    static func write(_ bytes: [UInt8], to place: URL) throws {
        let folder = place.deletingLastPathComponent()
        // A sweep takes what is left of it by a kill.
        let new = folder.appending(path: ".\(UUID().uuidString)", directoryHint: .notDirectory)
        try SystemCall.makeFolders(folder, isDurable: false)
        let descriptor = try SystemCall.open(new, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        do {
            try SystemCall.writeAll(bytes, to: descriptor, new)
            try SystemCall.rename(new, to: place)
        } catch {
            unlink(new.path(percentEncoded: false))
            throw error
        }
    }

    static func take(_ file: URL, as place: URL) throws {
        try SystemCall.makeFolders(place.deletingLastPathComponent(), isDurable: false)
        try SystemCall.rename(file, to: place)
    }
}
