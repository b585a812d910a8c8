import Foundation
import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistry
import PackSystem

/// Answers reads of the published view. This is the hot path: no database, no router, one `lstat` a request.
struct ViewController {
    let cache: FileCache
    private let metrics: ServerMetrics
    private let host: any RegistryHost
    private let redirects: ReadRedirects?
    private let timestamp: String

    /// - Parameter redirects: nil: every file is sent from here.
    init(
        host: any RegistryHost, cache: FileCache, metrics: ServerMetrics = ServerMetrics(),
        redirects: ReadRedirects? = nil
    ) {
        self.host = host
        self.redirects = redirects
        self.metrics = metrics
        self.cache = cache
        timestamp = host.viewFolder.appending(path: "metadata/timestamp.json").path(percentEncoded: false)
    }

    func response(to request: Request, path components: [String]) async throws -> Response {
        guard let path = ViewPath(components.joined(separator: "/")) else { throw Self.absent }
        // A signed URL is for one method, and HEAD is rare.
        if let redirects, ReadRedirects.concern(path), request.method == .get {
            return try await redirect(to: path, redirects)
        }
        var found = try await cache.file(path.description, digest: path.digest)
        if found == nil, request.method == .get, try await makePatch(at: path) {
            found = try await cache.file(path.description, digest: nil)
        }
        guard let file = found else { throw Self.absent }
        let fields: HTTPFields = [
            .cacheControl: path.cacheControl, .accessControlAllowOrigin: "*",
        ]
        return try FileResponder.response(to: request, with: file, mediaType: path.mediaType, fields: fields)
    }

    /// RFC 9110 section 15.4.8: the fields stay, so that conditions and ranges reach the storage.
    private func redirect(to path: ViewPath, _ redirects: ReadRedirects) async throws -> Response {
        var url = try await redirects.url(of: path)
        if url == nil, try await makePatch(at: path) { url = try await redirects.url(of: path) }
        guard let url else { throw Self.absent }
        return Response(
            status: .temporaryRedirect,
            headers: [.location: url, .cacheControl: CacheControl.none, .accessControlAllowOrigin: "*"])
    }

    private func makePatch(at path: ViewPath) async throws -> Bool {
        switch path {
        case .patch, .manifestPatch, .updateFile: break
        default: return false
        }
        do {
            let isMade = try await host.makePatch(at: path)
            (isMade ? metrics.patchesMade : metrics.patchesAbsent).add()
            return isMade
        } catch {
            metrics.patchesBusy.add()
            throw error
        }
    }

    private static var absent: Problem { .notFound("there is no such file in the published view") }

    /// An object by its digest; nil if the registry does not have it.
    func object(_ digest: Digest) async throws -> ServedFile? {
        try await cache.file(ViewPath.object(digest).description, digest: digest)
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
