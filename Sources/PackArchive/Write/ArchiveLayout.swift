import PackFormat

/// The places of the entries in a zip. All sizes are known before the first byte is written, so parts of the zip can
/// be written at the same time.
struct ArchiveLayout {
    /// Entries that follow one another.
    struct Span {
        let entries: Range<Int>
        /// Where the first of them stands.
        let offset: Int
    }

    /// Bytes of a span: enough that starting one costs nothing, and so few that all cores end at about the same time.
    private static let spanSize = 4 << 20
    /// Entries of a span: small ones cost time as well.
    private static let spanCount = 1024

    private(set) var spans: [Span] = []
    /// Where the central directory stands.
    private(set) var end = 0

    init(_ entries: [ArchiveWriter.Entry]) {
        var (first, start) = (0, 0)
        for (index, entry) in entries.enumerated() {
            end += ZipDirectoryEncoder.localHeaderSize(of: entry) + entry.content.compressedSize
            if end - start >= Self.spanSize || index + 1 - first >= Self.spanCount || index + 1 == entries.count {
                spans.append(Span(entries: first..<index + 1, offset: start))
                (first, start) = (index + 1, end)
            }
        }
    }
}
