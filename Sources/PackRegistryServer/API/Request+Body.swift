import HTTPTypes
import Hummingbird
import NIOCore
import PackFormat
import PackJSON
import PackRegistryAPI

extension Request {
    func requireJSON() throws {
        let type = headers[.contentType]?.prefix { $0 != ";" }.trimmingWhitespace.lowercased()
        guard type == "application/json" else {
            throw Problem(
                .unsupportedMediaType, kind: RegistryError.Kind.invalid.rawValue,
                "the body must be application/json")
        }
    }

    func refuseBody(over limit: Int) throws {
        guard let length = headers[.contentLength].flatMap({ Int($0) }), length > limit else { return }
        throw Problem.tooLarge("the body has \(length) bytes and at most \(limit) are accepted here")
    }
}

extension Substring {
    fileprivate var trimmingWhitespace: Substring {
        var text = self
        while text.last == " " || text.last == "\t" { text.removeLast() }
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        return text
    }
}

extension Response {
    /// A JSON document that depends on a token, or that changes at any time.
    static func json(_ document: JSONObject, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: CacheControl.none],
            body: ResponseBody(byteBuffer: ByteBuffer(string: JSONValue.object(document).compactText)))
    }
}
