import Foundation
import PackFormat
import PackRegistry
import PackRegistrySQL
import PackSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Keeps the copies of remote files within bounds. The ones that were read least recently go first, as far as the file system notes
/// readings.
struct MirrorSweep {
    /// Seconds after which what is left of an interrupted request is removed.
    private static let scratchAge: TimeInterval = 3600

    let mirror: ViewMirror

    private struct Copy {
        let file: URL
        let byteCount: Int
        let lastUse: Int
    }

    /// - Parameter fullSizes: of the full downloads that the registry recorded. A copy of another size was replaced since.
    func run(fullSizes: [Digest: Int]) {
        removeScratch()
        for (target, size) in fullSizes {
            let path = StoredPath.view(.patch(from: nil, to: target))
            if let found = SystemCall.size(of: mirror.place(of: path)), found != size { mirror.dropCopy(of: path) }
        }
        var copies = copies()
        var byteCount = copies.reduce(0) { $0 + $1.byteCount }
        guard byteCount > mirror.maximumByteCount else { return }
        copies.sort { $0.lastUse < $1.lastUse }
        // A quarter at a time, so that it is not done for each file that comes.
        for copy in copies where byteCount > mirror.maximumByteCount / 4 * 3 {
            try? FileManager.default.removeItem(at: copy.file)
            byteCount -= copy.byteCount
        }
    }

    private func copies() -> [Copy] {
        let root = mirror.folder.view
        let timestamp = mirror.place(of: .view(.timestamp)).lastPathComponent
        guard let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) else { return [] }
        var copies: [Copy] = []
        for case let file as URL in found where file.lastPathComponent != timestamp {
            var status = stat()
            guard lstat(file.path(percentEncoded: false), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            #if canImport(Darwin)
                let lastUse = max(status.st_atimespec.tv_sec, status.st_mtimespec.tv_sec)
            #else
                let lastUse = max(status.st_atim.tv_sec, status.st_mtim.tv_sec)
            #endif
            copies.append(Copy(file: file, byteCount: Int(status.st_size), lastUse: lastUse))
        }
        return copies
    }

    private func removeScratch() {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey]
        let found = try? FileManager.default.contentsOfDirectory(
            at: mirror.folder.uploads, includingPropertiesForKeys: Array(keys))
        for file in found ?? [] {
            let name = file.lastPathComponent
            let isScratch =
                name.hasPrefix(ViewMirror.scratchPrefix) || name.hasPrefix("upload-")
                || (name.hasPrefix(".") && name.hasSuffix(".part"))
            guard isScratch, let date = try? file.resourceValues(forKeys: keys).contentModificationDate,
                -date.timeIntervalSinceNow > Self.scratchAge
            else { continue }
            try? FileManager.default.removeItem(at: file)
        }
    }
}
