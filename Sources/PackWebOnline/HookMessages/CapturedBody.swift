public import Foundation

/// A body that a page has handed over: its bytes, and for a form their structure.
public struct CapturedBody: Hashable, Sendable {
    /// The kind of the body, which precedes the bytes.
    public enum Kind: Hashable, Sendable {
        case bytes
        /// The bytes are the parts' contents, one after the other.
        case form([Part])
    }

    /// An entry of a form. The page has already changed the line ends in names, and in contents that are not files,
    /// to CRLF.
    public struct Part: Hashable, Sendable {
        public let name: String
        /// The size of the content in bytes.
        public let size: Int
        public let filename: String?
        public let type: String?

        public init(name: String, size: Int, filename: String? = nil, type: String? = nil) {
            self.name = name
            self.size = size
            self.filename = filename
            self.type = type
        }
    }

    public let kind: Kind
    /// The number of handed-over bytes, without what a form's encoding adds.
    public let size: Int

    public init(kind: Kind, size: Int) {
        self.kind = kind
        self.size = size
    }
}

/// A body that is ready to be sent.
public struct RestoredBody: Hashable, Sendable {
    public let data: Data
    /// The content type of a form's encoding; nil if the request's own header counts.
    public let contentType: String?

    /// - Parameters:
    ///   - data: all bytes of `body`.
    ///   - contentType: the request's own header: a form is written with the boundary that it names.
    public init(_ body: CapturedBody, data: Data, contentType: String?) {
        switch body.kind {
        case .bytes:
            self.data = data
            self.contentType = nil
        case .form(let parts):
            let form = MultipartForm(
                boundary: contentType.flatMap(MultipartForm.boundary) ?? MultipartForm.newBoundary())
            self.data = form.encoded(parts, data: data)
            self.contentType = form.contentType
        }
    }
}
