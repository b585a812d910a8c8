import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// File changes that survive a power cut: the bytes are synced before the file gets its name, and the folder
/// afterwards.
enum DurableFile {
    static let temporaryPrefix = ".tmp-"

    /// Puts bytes under a name, in place of what was there.
    static func replace(_ url: URL, bytes: [UInt8]) throws(TrustError) {
        let temporary = temporaryURL(beside: url)
        try step(url, "it cannot be replaced") { () throws(FileFault) in
            try SystemCall.replace(url, with: bytes, through: temporary)
        }
    }

    /// Puts bytes under a name that is not taken.
    static func create(_ url: URL, bytes: [UInt8], permissions: UInt32) throws(TrustError) {
        let temporary = temporaryURL(beside: url)
        defer { unlink(temporary.path) }
        try step(url, "it cannot be written") { () throws(FileFault) in
            try SystemCall.create(temporary, with: bytes, mode: permissions, isNew: true)
        }
        // A link, unlike a rename, fails if the name is taken.
        guard link(temporary.path, url.path) == 0 else { throw fault(url, "it cannot be made") }
        try sync(folder: url.deletingLastPathComponent())
    }

    /// Removes a name; one that is not there is no error.
    static func remove(_ url: URL) throws(TrustError) {
        guard unlink(url.path) != 0 else { return try sync(folder: url.deletingLastPathComponent()) }
        guard errno == ENOENT else { throw fault(url, "it cannot be removed") }
    }

    /// Makes a folder and what is above it.
    static func makeFolder(_ url: URL) throws(TrustError) {
        try step(url, "the folder cannot be made") { () throws(FileFault) in try SystemCall.makeFolders(url) }
    }

    /// Refuses a folder that could not be made because it, or what is above it, is a file.
    static func checkPlace(of folder: URL) throws(TrustError) {
        var place = folder.standardizedFileURL
        while true {
            if let isFolder = SystemCall.isFolder(atPath: place.path) {
                if !isFolder { throw .store(path: folder.path, reason: "\(place.path) is a file") }
                return
            }
            guard place.pathComponents.count > 1 else { return }
            place = place.deletingLastPathComponent()
        }
    }

    /// Removes the temporary files of processes that no longer run: nobody will ever rename them.
    static func removeLeftovers(in folder: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(temporaryPrefix) {
            let owner = name.dropFirst(temporaryPrefix.count).prefix { $0 != "-" }
            guard let process = pid_t(owner), process > 0, kill(process, 0) != 0, errno == ESRCH else { continue }
            unlink(folder.appendingPathComponent(name).path)
        }
    }

    private static func temporaryURL(beside url: URL) -> URL {
        url.deletingLastPathComponent().appendingPathComponent("\(temporaryPrefix)\(getpid())-\(UUID().uuidString)")
    }

    private static func sync(folder: URL) throws(TrustError) {
        try step(folder, "the folder cannot be synced to disk") { () throws(FileFault) in
            try SystemCall.synchronize(folder)
        }
    }

    private static func step(_ url: URL, _ what: String, _ body: () throws(FileFault) -> Void) throws(TrustError) {
        do {
            try body()
        } catch {
            throw .store(path: url.path, reason: "\(what): \(SystemCall.text(error.code))")
        }
    }

    private static func fault(_ url: URL, _ what: String) -> TrustError {
        .store(path: url.path, reason: "\(what): \(SystemCall.text(errno))")
    }
}
