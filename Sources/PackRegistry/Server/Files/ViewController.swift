import Foundation
import HTTPTypes
import Hummingbird
import PackFormat

/// Reads of the published view. The hot path: no database, no router, one `lstat` a request.
struct ViewController {
    private let root: String
    private let cache: FileCache

    init(folder: URL, cache: FileCache) {
        root =
            folder.path(percentEncoded: false).hasSuffix("/")
            ? folder.path(percentEncoded: false) : folder.path(percentEncoded: false) + "/"
        self.cache = cache
    }

    func response(to request: Request, path components: [String]) async throws -> Response {
        guard let path = ViewPath(components),
            let file = try await cache.file(path: root + path.text, known: path.digest)
        else { throw Problem.notFound("there is no such file in the published view") }
        let fields: HTTPFields = [
            .cacheControl: path.cachePolicy, .accessControlAllowOrigin: "*",
        ]
        return try FileResponder.response(to: request, with: file, mediaType: path.mediaType, fields: fields)
    }

    /// An object by its digest; nil where the registry does not have it.
    func object(_ digest: Digest) async throws -> ServedFile? {
        try await cache.file(path: root + ViewLayout.object(digest), known: digest)
    }

    /// The bytes of a small file; nil where there is none.
    func bytes(_ path: String) async throws -> [UInt8]? {
        guard let file = try await cache.file(path: root + path, known: nil) else { return nil }
        switch file.content {
        case .memory(let buffer): return Array(buffer.readableBytesView)
        case .disk(let open): return Array(try await open.contents().readableBytesView)
        }
    }

    /// A file's digest and size; nil where there is none.
    func facts(_ path: String) async throws -> (digest: Digest, size: Int)? {
        try await cache.file(path: root + path, known: nil).map { ($0.digest, $0.size) }
    }

    /// Changes whenever something was published or released.
    var stamp: FileStamp? { FileStamp(path: root + "metadata/timestamp.json") }
}

extension ViewPath {
    /// Objects are bytes without a name; the manifest gives their type where they are served as a site.
    fileprivate var mediaType: PackFormat.MediaType {
        if text.hasPrefix("objects/") { return PackFormat.MediaType("application/octet-stream") }
        let name = text.split(separator: "/").last ?? ""
        return PackFormat.MediaType(fileExtension: name.split(separator: ".").last.map(String.init) ?? "")
    }
}
