import Foundation
import PackArchive
import PackFormat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Checks the text files of a dist: for secrets, for a service worker, for a page that can confirm.
///
/// Every device gets every byte of a package, so a key that slipped in is everybody's key.
struct ContentAudit: Sendable {
    struct Found: Sendable {
        var secrets: [Place] = []
        var workers: [Place] = []
        var canConfirm = false
    }

    struct Place: Sendable {
        let path: PackagePath
        /// Counted from 1; 0 where it is the file as a whole.
        let line: Int
        /// What it is, for a person.
        let what: String
    }

    /// Larger files are data.
    private static let maximumFileSize = 64 << 20
    /// Up to which a file is read: to map it and to give that back takes longer.
    private static let maximumReadSize = 1 << 20
    private static let pages: Set<String> = ["html", "htm", "xhtml", "js", "mjs", "cjs"]
    /// Formats that hold a private key and cannot be read as text.
    private static let keyStores: Set<String> = ["p12", "pfx", "jks", "keystore", "ppk"]
    private static let media: Set<String> = [
        "png", "jpg", "jpeg", "gif", "webp", "avif", "heic", "jxl", "ico", "bmp", "woff", "woff2", "ttf", "otf", "eot",
        "mp4", "m4a", "m4v", "mov", "webm", "mp3", "ogg", "opus", "aac", "flac", "wav", "wasm", "pdf", "zip", "gz",
        "br",
        "zst", "bz2", "xz", "7z", "css",
    ]

    static func look(into files: [ScannedDist.File]) throws -> Found {
        let parts = try ConcurrentMap.run(files.count) { look(into: files[$0]) }
        return parts.reduce(into: Found()) { all, one in
            all.secrets += one.secrets
            all.workers += one.workers
            all.canConfirm = all.canConfirm || one.canConfirm
        }
    }

    private static func look(into file: ScannedDist.File) -> Found {
        var found = Found()
        let kind = file.path.fileExtension
        if keyStores.contains(kind) {
            found.secrets.append(Place(path: file.path, line: 0, what: "a key store"))
            return found
        }
        guard !media.contains(kind), file.size <= maximumFileSize, file.size > 0,
            let data = try? Data(contentsOf: file.url, options: file.size > maximumReadSize ? .alwaysMapped : [])
        else { return found }
        data.withUnsafeBytes { bytes in
            var lines = LineCounter(bytes)
            if let secret = SecretScanner(bytes).first {
                found.secrets.append(Place(path: file.path, line: lines.line(at: secret.offset), what: secret.what))
            }
            guard pages.contains(kind) else { return }
            found.canConfirm = canConfirm(bytes)
            var from = 0
            while let offset = serviceWorker.first(in: bytes, from: from) {
                from = offset + serviceWorker.count
                guard registers(bytes, at: from) else { continue }
                found.workers.append(Place(path: file.path, line: lines.line(at: offset), what: "a service worker"))
                break
            }
        }
        return found
    }

    /// Whether what has such a name may call `packtool.confirm()`: a page or a script.
    static func mayConfirm(_ path: PackagePath) -> Bool { pages.contains(path.fileExtension) }

    /// Whether the text of a page or a script has both words of `packtool.confirm()`, however they stand there.
    static func canConfirm(_ text: UnsafeRawBufferPointer) -> Bool {
        host.first(in: text) != nil && confirming.first(in: text) != nil
    }

    private static let host = Word("packtool", by: "k")
    private static let confirming = Word("confirm", by: "f")
    private static let serviceWorker = Word("serviceWorker", by: "W")

    /// Whether `.register(` follows, also as `?.register(`.
    private static func registers(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        let rest = bytes[offset..<min(offset + 24, bytes.count)].filter {
            !ASCIIText.isBlank($0) && $0 != UInt8(ascii: "?")
        }
        return rest.starts(with: ".register(".utf8) || rest.starts(with: ".register.".utf8)
    }
}

/// Finds a word in bytes by one of its letters, which the system's `memchr` finds many bytes at a time.
struct Word: Sendable {
    private let bytes: [UInt8]
    /// The place of the letter.
    private let place: Int

    /// - Parameter letter: One of the word that texts seldom have; else the first.
    init(_ text: String, by letter: Unicode.Scalar) {
        bytes = Array(text.utf8)
        place = bytes.firstIndex(of: UInt8(ascii: letter)) ?? 0
    }

    var count: Int { bytes.count }

    /// The offset of the first one at or after another offset.
    func first(in text: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = text.baseAddress else { return nil }
        // Where the letter of the last word that fits is.
        let last = text.count - bytes.count + place
        var from = start + place
        while from <= last, let hit = memchr(base + from, Int32(bytes[place]), last + 1 - from) {
            let offset = UnsafeRawPointer(hit) - base
            if memcmp(base + (offset - place), bytes, bytes.count) == 0 { return offset - place }
            from = offset + 1
        }
        return nil
    }
}
