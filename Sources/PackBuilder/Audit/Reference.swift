/// A URL in a page or a style sheet, and its place.
struct Reference: Hashable, Sendable {
    enum Use: Hashable, Sendable {
        /// The page loads it by itself.
        case resource
        /// A script or a style sheet, without which a page does not work properly.
        case code
        /// A person may follow it.
        case link
        /// `<base href>`: the URLs after it are relative to it.
        case base
    }

    let url: String
    let use: Use
    /// Counted from 1.
    let line: Int
}

/// The formats whose references are read.
enum ReferenceFormat {
    case html
    case css

    init?(fileExtension: String) {
        switch fileExtension {
        case "html", "htm", "xhtml": self = .html
        case "css": self = .css
        default: return nil
        }
    }

    func references(in bytes: UnsafeRawBufferPointer) -> [Reference] {
        switch self {
        case .html:
            var scanner = HTMLScanner(bytes)
            return scanner.references()
        case .css:
            var scanner = CSSScanner(bytes, lines: LineCounter(bytes))
            scanner.scan(0..<bytes.count)
            return scanner.references
        }
    }
}

/// Converts offsets to line numbers. It is fast for increasing offsets.
struct LineCounter {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var line = 1

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func line(at target: Int) -> Int {
        if target < offset { (offset, line) = (0, 1) }
        while offset < min(target, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        return line
    }
}
