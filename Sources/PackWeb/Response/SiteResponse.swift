#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An answer of the device: a value that any transport can relay unchanged.
public struct SiteResponse: Hashable, Sendable {
    public enum Body: Hashable, Sendable {
        case none
        case bytes([UInt8])
        /// This range of a file that does not change; read it with ``FileReader``.
        case file(URL, Range<Int>)
    }

    public let status: Int
    /// The headers by lower-case name. `content-length` is the body's length, or for HEAD the length that it would
    /// have; a 304 has none.
    public let headers: [String: String]
    public let body: Body

    public init(status: Int, headers: [String: String], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The number of bytes in the body.
    public var byteCount: Int {
        switch body {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .file(_, let range): range.count
        }
    }

    /// A page of ours that stands where a package has none. It has no script, and shows its texts as they are.
    static func page(_ status: Int, title: String, _ text: String, to request: SiteRequest) -> SiteResponse {
        guard request.wantsPage else { return message(status, "\(title): \(text)", to: request) }
        func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
        }
        let html = """
            <!doctype html><html><head><meta charset="utf-8"><title>\(escaped(title))</title></head>
            <body><h1>\(escaped(title))</h1><p>\(escaped(text))</p></body></html>

            """
        return message(
            status, html, to: request,
            headers: ["content-type": "text/html; charset=utf-8", "content-security-policy": "default-src 'none'"])
    }

    /// A plain sentence as an answer; a request by HEAD gets its headers only.
    static func message(
        _ status: Int, _ text: String, to request: SiteRequest, headers: [String: String] = [:]
    ) -> SiteResponse {
        let bytes = Array((text + "\n").utf8)
        var fields = headers
        fields["content-type"] = headers["content-type"] ?? "text/plain; charset=utf-8"
        fields["content-length"] = "\(bytes.count)"
        fields["x-content-type-options"] = "nosniff"
        fields["cache-control"] = "no-store"
        return SiteResponse(status: status, headers: fields, body: request.method == "HEAD" ? .none : .bytes(bytes))
    }
}

extension SiteResponse {
    /// The whole body, for callers that may hold it in memory.
    /// - Throws: ``WebError`` if its file is unreadable or shorter than it should be.
    package func contents() throws -> Data {
        switch body {
        case .none: return Data()
        case .bytes(let bytes): return Data(bytes)
        case .file(let url, let range):
            var reader = try FileReader(url, range: range)
            var contents = Data()
            while let chunk = try reader.next() {
                if contents.isEmpty { contents = chunk } else { contents.append(chunk) }
            }
            return contents
        }
    }
}
