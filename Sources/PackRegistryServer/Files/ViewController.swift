import Foundation
import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistry
import PackSystem

/// Answers reads of the published view. This is the hot path: no database, no router, one `lstat` a request.
struct ViewController {
    let cache: FileCache
    private let host: any RegistryHost
    private let timestamp: String

    init(host: any RegistryHost, cache: FileCache) {
        self.host = host
        self.cache = cache
        timestamp = host.viewFolder.appending(path: "metadata/timestamp.json").path(percentEncoded: false)
    }

    func response(to request: Request, path components: [String]) async throws -> Response {
        guard let path = ViewPath(components) else { throw Self.absent }
        var found = try await cache.file(path.text, digest: path.digest)
        if found == nil, components[0] == "patches", request.method == .get,
            try await host.makePatch(at: path.text)
        {
            found = try await cache.file(path.text, digest: nil)
        }
        guard let file = found else { throw Self.absent }
        let fields: HTTPFields = [
            .cacheControl: path.cachePolicy, .accessControlAllowOrigin: "*",
        ]
        return try FileResponder.response(to: request, with: file, mediaType: path.mediaType, fields: fields)
    }

    private static var absent: Problem { .notFound("there is no such file in the published view") }

    /// An object by its digest; nil if the registry does not have it.
    func object(_ digest: Digest) async throws -> ServedFile? {
        try await cache.file(ViewLayout.object(digest), digest: digest)
    }

    /// A compressed form of an object; nil if none was made.
    func encoded(_ object: Digest, _ coding: ContentCoding) async throws -> ServedFile? {
        try await cache.file(coding.path(of: object), digest: nil)
    }

    /// The bytes of a small file; nil if there is none.
    func bytes(_ path: String) async throws -> [UInt8]? {
        guard let file = try await cache.file(path, digest: nil) else { return nil }
        switch file.content {
        case .memory(let buffer): return Array(buffer.readableBytesView)
        case .disk(let open): return Array(try await open.contents().readableBytesView)
        }
    }

    /// A file's digest and size; nil if there is none.
    func facts(_ path: String) async throws -> (digest: Digest, size: Int)? {
        try await cache.facts(path)
    }

    /// Changes whenever something was published or released.
    var stamp: FileStamp? { FileStamp(path: timestamp) }
}

extension ViewPath {
    /// Objects are bytes without a name; the manifest gives their type where they are served as a site.
    var mediaType: PackFormat.MediaType {
        if text.hasPrefix("objects/") { return PackFormat.MediaType("application/octet-stream") }
        let name = text.split(separator: "/").last ?? ""
        return PackFormat.MediaType(fileExtension: name.split(separator: ".").last.map(String.init) ?? "")
    }
}
