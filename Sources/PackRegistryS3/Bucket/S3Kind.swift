import Foundation
import PackFormat
import PackRegistry

/// What a store tells readers of an object: the same as `packtool serve` does.
struct S3Kind: Hashable, Sendable {
    let mediaType: String
    let cacheControl: String

    init(mediaType: String, cacheControl: String) {
        self.mediaType = mediaType
        self.cacheControl = cacheControl
    }

    init(_ path: ViewPath) {
        self.init(mediaType: path.mediaType.description, cacheControl: path.cacheControl)
    }

    init(_ path: StoredPath) {
        switch path {
        case .view(let path): self.init(path)
        case .encoded: self.init(mediaType: "application/octet-stream", cacheControl: CacheControl.immutable)
        }
    }

    var fields: [(name: String, value: String)] {
        [("content-type", mediaType), ("cache-control", cacheControl)]
    }
}

/// The checksum by which a store verifies what it receives (Amazon S3 User Guide, "Checking object integrity").
enum S3Checksum {
    static let field = "x-amz-checksum-sha256"
    static let algorithm = "SHA256"

    static func text(_ digest: Digest) -> String { Data(digest.bytes).base64EncodedString() }

    /// Whether it is one of the checksums of the parts of an object, and not of its bytes.
    static func isOfParts(_ text: String) -> Bool { text.contains("-") }
}
