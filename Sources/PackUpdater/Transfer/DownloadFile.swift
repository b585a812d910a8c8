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

/// A download on disk, and beside it the ETag that its bytes belong to.
final class DownloadFile: Sendable {
    private let file: OpenFile
    private let tag: URL
    /// Bytes that an earlier attempt left.
    let offset: Int

    /// Opens a download where an earlier attempt left it, or starts it.
    init(_ url: URL) throws(UpdateError) {
        tag = url.appendingPathExtension("etag")
        let size = Durable.size(of: url) ?? 0
        // A note that cannot be read is none: then the download starts over.
        let known = (try? Durable.read(tag, maximumByteCount: Self.maximumTagByteCount)) ?? []
        if size == 0 || known.isEmpty {
            try Durable.remove(url)
            try Durable.remove(tag)
        }
        validator = size == 0 || known.isEmpty ? nil : String(decoding: known, as: UTF8.self)
        offset = validator == nil ? 0 : size
        file = try OpenFile(url, flags: O_RDWR | O_CREAT | O_APPEND)
    }

    /// A longer ETag is not kept, and such a download not continued.
    private static let maximumTagByteCount = 1024

    /// The ETag of the bytes that are here.
    let validator: String?

    /// Drops what is here and notes what the new bytes belong to: only a strong ETag can be continued later.
    func restart(validator: String?) throws(UpdateError) {
        guard ftruncate(file.descriptor, 0) == 0 else { throw .system("truncate", file.url) }
        if let validator, !validator.hasPrefix("W/"), validator.utf8.count <= Self.maximumTagByteCount {
            let target = try OpenFile(tag, flags: O_WRONLY | O_CREAT | O_TRUNC)
            try target.write(Array(validator.utf8))
        } else {
            try Durable.remove(tag)
        }
    }

    func append(_ data: Data) throws {
        try data.withUnsafeBytes { try file.write($0) }
    }

    /// Removes the download and its note.
    static func remove(_ url: URL) throws(UpdateError) {
        try Durable.remove(url)
        try Durable.remove(url.appendingPathExtension("etag"))
    }
}
