import PackFormat

/// The part of an object that was asked for, and whether an answer has it: nothing of an answer is believed that does not fit.
struct WantedRange: Hashable, Sendable {
    /// The most bytes of one answer in memory.
    private static let largest = 1 << 40

    let start: Int
    let maximumByteCount: Int

    init(start: Int, maximumByteCount: Int) {
        self.start = start
        self.maximumByteCount = min(maximumByteCount, Self.largest)
    }

    /// The value of `Range` (RFC 9110 section 14.2).
    var field: String {
        let (last, isOver) = start.addingReportingOverflow(maximumByteCount - 1)
        return isOver || maximumByteCount == Self.largest ? "bytes=\(start)-" : "bytes=\(start)-\(last)"
    }

    /// - Returns: nil for an answer that is sound, or has no bytes.
    func fault(of answer: HTTPAnswer) -> HTTPFailure? {
        switch answer.status {
        case 200:
            // All of the object, because no range was asked for, or the store took no notice of it.
            guard !answer.isTooLarge else { return nil }
            guard answer.field("Content-Length").flatMap({ Int($0) }).map({ $0 == answer.body.count }) ?? true else {
                return HTTPFailure(description: "the answer was cut off")
            }
            return checksumFault(of: answer)
        case 206:
            guard let found = Self.contentRange(answer), found.range.lowerBound == start,
                found.range.count == answer.body.count, found.range.count <= maximumByteCount,
                // Less than what was asked for only at the end of the object.
                found.range.count == min(maximumByteCount, found.size - start)
            else { return HTTPFailure(description: "the answer has another part of the object than was asked for") }
            return nil
        default: return nil
        }
    }

    /// The part in an answer without fault; nil where it was too large to be read.
    func part(of answer: HTTPAnswer) -> S3Bucket.Part? {
        guard !answer.isTooLarge else { return nil }
        let tag = answer.field("ETag")
        guard answer.status == 206 else {
            let bytes = answer.body.dropFirst(start).prefix(maximumByteCount)
            return S3Bucket.Part(bytes: Array(bytes), size: answer.body.count, tag: tag)
        }
        return Self.contentRange(answer).map { S3Bucket.Part(bytes: answer.body, size: $0.size, tag: tag) }
    }

    /// Compares all of an object with the checksum that was given when it was written.
    private func checksumFault(of answer: HTTPAnswer) -> HTTPFailure? {
        guard let text = answer.field(S3Checksum.field), !S3Checksum.isOfParts(text),
            text != S3Checksum.text(Digest(of: answer.body))
        else { return nil }
        return HTTPFailure(description: "the answer has other bytes than its checksum says")
    }

    /// `bytes 0-9/1000` (RFC 9110 section 14.4).
    private static func contentRange(_ answer: HTTPAnswer) -> (range: Range<Int>, size: Int)? {
        guard let text = answer.field("Content-Range"), let match = text.wholeMatch(of: /bytes (\d+)-(\d+)\/(\d+)/),
            let first = Int(match.1), let last = Int(match.2), let size = Int(match.3), first <= last, last < size
        else { return nil }
        return (first..<(last + 1), size)
    }
}
