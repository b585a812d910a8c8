/// A media type with the charset that our answers declare.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// Type and subtype in lower case, such as `text/html`.
    public let essence: String
    /// The charset parameter. A page's files are UTF-8 unless they say otherwise; a type that is not text has none.
    public let charset: String?

    public init(_ essence: String, charset: String? = nil) {
        self.essence = essence
        self.charset = charset
    }

    /// The type of a file by its name; `application/octet-stream` if the extension is unknown.
    public init(of path: PackagePath) {
        self.init(fileExtension: path.fileExtension)
    }

    /// - Parameter fileExtension: The extension without the dot, in lower case.
    public init(fileExtension: String) {
        let essence = Self.essences[fileExtension] ?? "application/octet-stream"
        let isText = essence.hasPrefix("text/") || Self.textual.contains(essence)
        self.init(essence, charset: isText ? "utf-8" : nil)
    }

    /// The value of `Content-Type`.
    public var description: String { charset.map { "\(essence); charset=\($0)" } ?? essence }

    /// Types outside `text/` that are text and whose readers look at the charset.
    private static let textual: Set<String> = [
        "application/json", "application/manifest+json", "application/xml", "image/svg+xml", "application/ld+json",
        "application/geo+json", "application/xhtml+xml", "application/rss+xml", "application/atom+xml",
    ]

    /// By the IANA registry and, for scripts, RFC 9239. A module script and wasm are refused by engines under any
    /// other type, so this table is part of what makes a page run.
    private static let essences: [String: String] = [
        "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml",
        "js": "text/javascript", "mjs": "text/javascript", "cjs": "text/javascript",
        "css": "text/css", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "vtt": "text/vtt",
        "ics": "text/calendar", "xml": "application/xml", "xsl": "application/xml", "rss": "application/rss+xml",
        "atom": "application/atom+xml",
        "json": "application/json", "map": "application/json", "jsonld": "application/ld+json",
        "geojson": "application/geo+json", "webmanifest": "application/manifest+json",
        "wasm": "application/wasm", "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip",
        "zst": "application/zstd", "br": "application/octet-stream",
        "svg": "image/svg+xml", "png": "image/png", "apng": "image/apng", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "ico": "image/vnd.microsoft.icon",
        "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff", "heic": "image/heic", "jxl": "image/jxl",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf", "ttc": "font/collection",
        "eot": "application/vnd.ms-fontobject",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg",
        "opus": "audio/ogg", "wav": "audio/wav", "flac": "audio/flac", "weba": "audio/webm",
        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
        "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t", "mpd": "application/dash+xml",
        "m4s": "video/iso.segment",
        "glb": "model/gltf-binary", "gltf": "model/gltf+json",
    ]
}
