import NIOCore
import PackFormat

/// A file of the view for answers: its content's digest, its bytes if they are few enough to keep, and the header
/// fields that all answers with it have. A class, because each answer takes it from a table that all connections share.
final class ServedFile: Sendable {
    enum Content: Sendable {
        case memory(ByteBuffer)
        case disk(OpenFile)
    }

    let digest: Digest
    let size: Int
    let content: Content
    let heads: Heads

    init(digest: Digest, size: Int, content: Content, heads: Heads) {
        self.digest = digest
        self.size = size
        self.content = content
        self.heads = heads
    }

    /// A text that was made for answers.
    convenience init(text: String) {
        let bytes = ByteBuffer(string: text)
        let digest = Digest(of: bytes.readableBytesView)
        self.init(
            digest: digest, size: bytes.readableBytes, content: .memory(bytes),
            heads: Heads(nil, digest: digest, size: bytes.readableBytes))
    }

    /// The heads of the most frequent answers, ready but for the date and the empty line.
    struct Heads: Sendable {
        let tag: EntityTag
        /// `"…"`, as clients send it back.
        let tagText: String
        let cachePolicy: String
        let mediaType: String
        /// 200 with everything.
        let whole: ByteBuffer
        /// 304.
        let notModified: ByteBuffer

        init(_ path: ViewPath?, digest: Digest, size: Int) {
            tag = EntityTag(digest)
            tagText = tag.description
            cachePolicy = path?.cacheControl ?? CacheControl.none
            mediaType = path?.mediaType.description ?? "application/octet-stream"
            let common = """
                ETag: \(tag)\r\nCache-Control: \(cachePolicy)\r\nAccess-Control-Allow-Origin: *\r\n\
                X-Content-Type-Options: nosniff\r\nServer: \(ServerName.text)\r\n
                """
            whole = ByteBuffer(
                string: """
                    HTTP/1.1 200 OK\r\n\(common)Content-Type: \(mediaType)\r\nAccept-Ranges: bytes\r\n\
                    Content-Length: \(size)\r\n
                    """)
            notModified = ByteBuffer(string: "HTTP/1.1 304 Not Modified\r\n\(common)")
        }

        /// 206 with a part.
        func part(_ range: ByteRange, of size: Int) -> ByteBuffer {
            ByteBuffer(
                string: """
                    HTTP/1.1 206 Partial Content\r\nETag: \(tag)\r\nCache-Control: \(cachePolicy)\r\n\
                    Access-Control-Allow-Origin: *\r\nX-Content-Type-Options: nosniff\r\n\
                    Server: \(ServerName.text)\r\nContent-Type: \(mediaType)\r\nAccept-Ranges: bytes\r\n\
                    Content-Range: \(range.contentRange(of: size))\r\nContent-Length: \(range.bounds.count)\r\n
                    """)
        }
    }
}
