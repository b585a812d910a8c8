package import Foundation
package import PackFormat
package import PackSystem

/// The source of one file's bytes.
package enum ContentSource: Hashable, Sendable {
    /// A file anywhere on disk. It is a path because parsing a URL costs more than reading a small file.
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

/// One content for a zip.
package struct ContentRequest: Sendable {
    package let source: ContentSource
    /// Its path in the zip.
    package let path: PackagePath
    /// The expected content; nil if it is not known yet.
    package let expected: Object?
    /// The state of a file. The file need not be read if the cache knows its content in that state.
    package let stamp: FileStamp?

    package init(_ source: ContentSource, path: PackagePath, expected: Object? = nil, stamp: FileStamp? = nil) {
        self.source = source
        self.path = path
        self.expected = expected
        self.stamp = stamp
    }
}

/// A hashed and compressed content for any number of zips.
package struct PreparedContent: Sendable {
    package let object: Object
    /// The number of bytes in a zip, without headers.
    package let compressedSize: Int
    let crc32: UInt32
    let method: Int
    let place: Place

    enum Place: Sendable {
        /// A part of a file of compressed contents.
        case pack(OpenFile, offset: Int, crc32: UInt32)
        /// Stored without compression.
        case source(ContentSource)
    }
}
