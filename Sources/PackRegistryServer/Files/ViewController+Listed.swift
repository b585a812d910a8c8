import HTTPTypes
import Hummingbird
import PackFormat
import PackRegistry
import PackRegistryAPI

extension ViewController {
    /// One file of a version, compressed where the client takes that and a compressed form was made. Each form has an
    /// ETag of its own, and a range is one of the form that is sent (RFC 9110 section 14.2).
    /// - Parameter fields: of the answer, beside those that all files have.
    /// - Throws: ``RegistryError`` of the kind `.unusable` if the object is not there.
    func response(
        to request: Request, with listed: Manifest.File, at path: PackagePath, fields: HTTPFields
    ) async throws -> Response {
        let mediaType = PackFormat.MediaType(of: path)
        var fields = fields
        if listed.mayBeEncoded(as: mediaType) {
            fields[.vary] = fields[.vary].map { $0 + ", accept-encoding" } ?? "accept-encoding"
            for coding in AcceptEncoding(request.headers[values: .acceptEncoding]).accepted {
                guard let file = try await encoded(listed.digest, coding) else { continue }
                fields[.contentEncoding] = coding.rawValue
                return try FileResponder.response(to: request, with: file, mediaType: mediaType, fields: fields)
            }
        }
        guard let file = try await object(listed.digest), file.size == listed.size else {
            throw RegistryError(.unusable, "the object of \(path) is not in the published view")
        }
        return try FileResponder.response(to: request, with: file, mediaType: mediaType, fields: fields)
    }
}
