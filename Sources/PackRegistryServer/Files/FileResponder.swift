import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON

/// Answers a request with a file: strong entity tag, conditions, one range, HEAD (RFC 9110 sections 8.8, 13 and 14).
struct FileResponder {
    static func response(
        to request: Request, with file: ServedFile, mediaType: PackFormat.MediaType, fields: HTTPFields
    ) throws -> Response {
        guard request.method == .get || request.method == .head else {
            throw Problem.methodNotAllowed([.get, .head])
        }
        let tag = EntityTag(file.digest)
        let condition = ConditionalRequest(method: request.method.rawValue) { name in
            HTTPField.Name(name).flatMap { request.headers[$0] }
        }
        var fields = fields
        fields[.eTag] = tag.description
        switch condition.outcome(for: tag, size: file.size) {
        case .notModified:
            return Response(status: .notModified, headers: fields, body: ResponseBody()).withoutLength
        case .preconditionFailed:
            throw Problem(
                .preconditionFailed, kind: "preconditionFailed", "the file is not the one that If-Match names",
                headers: [.eTag: tag.description])
        case .unsatisfiable:
            throw Problem(
                .rangeNotSatisfiable, kind: "rangeNotSatisfiable", "the file has \(file.size) bytes",
                headers: [
                    .contentRange: ByteRange.unsatisfiedContentRange(of: file.size), .acceptRanges: "bytes",
                    .eTag: tag.description,
                ])
        case .whole:
            fields[.contentType] = mediaType.description
            fields[.acceptRanges] = "bytes"
            if request.method == .head {
                fields[.contentLength] = String(file.size)
                return Response(status: .ok, headers: fields)
            }
            return Response(status: .ok, headers: fields, body: body(of: file, in: 0..<file.size))
        case .part(let range):
            fields[.contentType] = mediaType.description
            fields[.acceptRanges] = "bytes"
            fields[.contentRange] = range.contentRange(of: file.size)
            return Response(status: .partialContent, headers: fields, body: body(of: file, in: range.bounds))
        }
    }

    /// A document that is made for the request. Small, and asked for again and again: a tag makes most answers a 304.
    static func document(to request: Request, _ document: JSONObject) throws -> Response {
        try response(
            to: request, with: ServedFile(text: JSONValue.object(document).compactText),
            mediaType: PackFormat.MediaType("application/json"),
            fields: [.cacheControl: CacheControl.pointer, .accessControlAllowOrigin: "*"])
    }

    private static func body(of file: ServedFile, in bounds: Range<Int>) -> ResponseBody {
        switch file.content {
        case .memory(let bytes):
            let slice = bytes.getSlice(at: bytes.readerIndex + bounds.lowerBound, length: bounds.count)
            return ResponseBody(byteBuffer: slice ?? ByteBuffer())
        case .disk(let open):
            return ResponseBody(contentLength: bounds.count) { writer in
                var offset = bounds.lowerBound
                while offset < bounds.upperBound {
                    let chunk = try await open.chunk(at: offset, atMost: bounds.upperBound - offset)
                    offset += chunk.readableBytes
                    try await writer.write(chunk)
                }
                try await writer.finish(nil)
            }
        }
    }
}

extension Response {
    /// A 304 has no content, and a length of 0 would speak of the representation (RFC 9110 section 8.6).
    fileprivate var withoutLength: Response {
        var response = self
        response.headers[.contentLength] = nil
        return response
    }
}
