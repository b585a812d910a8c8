import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers with one version's file: status, headers and the requested part, as RFC 9110 defines them.
struct SiteResponder {
    let manifest: Manifest

    func response(to request: SiteRequest, path: PackagePath, file: Manifest.File, at location: URL) -> SiteResponse {
        let tag = EntityTag(file.digest)
        // What an engine has of a worker may be of another version, with imports that have changed: it gets all of it.
        let condition = ConditionalRequest(method: request.method) {
            request.isWorkerScript && $0 == "if-none-match" ? nil : request.headers[$0]
        }
        var headers = representationHeaders(tag: tag)
        headers[CachePolicy.field] = CachePolicy.value(
            for: path, request: request, wanted: manifest.headers[CachePolicy.field])
        switch condition.outcome(for: tag, size: file.size) {
        case .preconditionFailed:
            return .message(412, "the file is not the one that If-Match or If-None-Match asks for", to: request)
        case .unsatisfiable:
            return .message(
                416, "the range lies outside the file", to: request,
                headers: ["content-range": ByteRange.unsatisfiedContentRange(of: file.size), "accept-ranges": "bytes"])
        case .notModified:
            return SiteResponse(status: 304, headers: headers, body: .none)
        case .part(let range):
            headers["content-type"] = MediaType(of: path).description
            headers["content-length"] = "\(range.count)"
            headers["content-range"] = range.contentRange(of: file.size)
            return SiteResponse(status: 206, headers: headers, body: .file(location, range.bounds))
        case .whole:
            headers["content-type"] = MediaType(of: path).description
            headers["content-length"] = "\(file.size)"
            let isHead = request.method == "HEAD"
            return SiteResponse(status: 200, headers: headers, body: isHead ? .none : .file(location, 0..<file.size))
        }
    }

    /// The manifest's headers, below those that only the answer can know.
    private func representationHeaders(tag: EntityTag) -> [String: String] {
        var headers = ["x-content-type-options": "nosniff"]
        for (name, value) in manifest.headers where !AnswerFields.names.contains(name) { headers[name] = value }
        headers["etag"] = tag.description
        headers["accept-ranges"] = "bytes"
        return headers
    }
}
