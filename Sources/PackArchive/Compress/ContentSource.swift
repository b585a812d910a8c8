package import Foundation
package import PackFormat
package import PackSystem

/// Where the bytes of one file come from.
package enum ContentSource: Hashable, Sendable {
    /// A file anywhere on disk. A path, because a URL costs more to take apart than a small file to read.
    case path(String)
    case bytes([UInt8])

    /// A file anywhere on disk.
    package static func file(_ url: URL) -> ContentSource { .path(url.path(percentEncoded: false)) }

    /// What an error message calls it.
    var name: String {
        switch self {
        case .path(let path): path
        case .bytes: "bytes in memory"
        }
    }
}

/// One content that a zip will hold.
package struct ContentRequest: Sendable {
    package let source: ContentSource
    /// Its path in the zip.
    package let path: PackagePath
    /// What the content must be; nil where it is to be found out.
    package let expected: Object?
    /// The state of a file that need not be read where the cache knows its content in that state.
    package let stamp: FileStamp?

    package init(_ source: ContentSource, path: PackagePath, expected: Object? = nil, stamp: FileStamp? = nil) {
        self.source = source
        self.path = path
        self.expected = expected
        self.stamp = stamp
    }
}

/// A content that is hashed and compressed, ready to be put into any number of zips.
package struct PreparedContent: Sendable {
    package let object: Object
    /// Bytes in a zip, without headers.
    package let compressedSize: Int
    let crc32: UInt32
    let method: Int
    let place: Place

    enum Place: Sendable {
        /// In a file of compressed contents.
        case pack(OpenFile, offset: Int, crc32: UInt32)
        /// Stored as it is.
        case source(ContentSource)
    }
}
