package import PackFormat

/// The compressions for a file of an online copy (RFC 9110 section 8.4.1).
///
/// Files of the view are never sent so: clients compare them with signed digests and sizes as they come.
package enum ContentCoding: String, CaseIterable, Sendable {
    /// The coding with the smaller result comes first.
    case zstd
    case gzip

    /// The least content in bytes for which a compressed form is made. Below it, the header fields would be the
    /// larger part.
    package static let minimumByteCount = 512
    /// The most content in bytes that is compressed in one piece.
    package static let maximumByteCount = 8 << 20

    /// The path of an object's compressed form, which may not exist.
    package func path(of object: Digest) -> String {
        let hex = object.hex
        return "encoded/\(hex.prefix(2))/\(hex).\(self == .zstd ? "zst" : "gz")"
    }
}

extension Manifest.File {
    /// Whether it is worth trying to compress the file.
    package func mayBeEncoded(as mediaType: MediaType) -> Bool {
        (ContentCoding.minimumByteCount...ContentCoding.maximumByteCount).contains(size) && mediaType.isCompressible
    }
}

extension MediaType {
    /// Whether content of the type is not compressed by itself.
    fileprivate var isCompressible: Bool {
        if essence.hasPrefix("text/") || essence.hasSuffix("+xml") || essence.hasSuffix("+json") { return true }
        return Self.compressible.contains(essence)
    }

    private static let compressible: Set = [
        "application/json", "application/xml", "application/wasm", "application/vnd.ms-fontobject", "font/ttf",
        "font/otf",
        "font/collection", "image/bmp", "image/vnd.microsoft.icon", "model/gltf-binary",
        "application/vnd.apple.mpegurl",
    ]
}
