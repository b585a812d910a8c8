import HTTPTypes
import Hummingbird
import NIOCore
import PackWeb

extension SiteResponse {
    /// The answer on the wire, as it is; a file is read in chunks while it is sent.
    /// - Parameter ended: gets the bytes of the body that were sent, once.
    func relayed(ended: @escaping @Sendable (Int) -> Void = { _ in }) throws -> Response {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let status = HTTPResponse.Status(code: status)
        switch body {
        case .none:
            ended(0)
            return Response(status: status, headers: fields)
        case .bytes(let bytes):
            ended(bytes.count)
            return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .file(let url, let range):
            let body = ResponseBody(contentLength: range.count) { writer in
                var count = 0
                defer { ended(count) }
                var reader = try FileReader(url, range: range)
                while let chunk = try reader.next() {
                    try await writer.write(ByteBuffer(bytes: chunk))
                    count += chunk.count
                }
                try await writer.finish(nil)
            }
            return Response(status: status, headers: fields, body: body)
        }
    }
}
