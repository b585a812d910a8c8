import NIOCore
import Synchronization

/// A part of a file that is being sent to a client, a piece at a time.
///
/// Pieces are read into memory while the server's budget for that lasts: from memory the kernel sends about half as
/// much again a second as with `sendfile`, whose pages it handles one by one. Beyond the budget the rest is sent with
/// `sendfile`, which holds nothing, so any number of slow clients holds no more than the budget. Where the bytes are encrypted
/// on their way `sendfile` cannot be used: then a client beyond the budget has a record in memory at a time.
final class FileTransfer {
    /// Bytes that are read at once: more than a socket takes at a time, and few enough to stay in a core's cache.
    static let pieceByteCount = OpenFile.chunkByteCount
    /// As many of bytes that are encrypted, of which there are two copies.
    static let securePieceByteCount = 64 << 10
    /// The content of one record of TLS (RFC 8446 section 5.1).
    static let recordByteCount = 16 << 10

    /// Bytes that pieces may hold, of all connections together.
    final class Budget: Sendable {
        private let left: Mutex<Int>

        init(byteCount: Int) {
            left = Mutex(byteCount)
        }

        func take(_ byteCount: Int) -> Bool {
            left.withLock { left in
                guard left >= byteCount else { return false }
                left -= byteCount
                return true
            }
        }

        func give(_ byteCount: Int) {
            left.withLock { $0 += byteCount }
        }
    }

    private let file: OpenFile
    private let budget: Budget
    /// What was taken of the budget.
    private let takenByteCount: Int
    /// Bytes of a piece; nil: the rest is sent with `sendfile`.
    private let byteCountAtOnce: Int?
    /// What has not been given out.
    private(set) var rest: Range<Int>
    private var piece = ByteBuffer()

    /// - Parameter isSecure: the bytes are to be encrypted, so that no file goes to the socket by itself.
    init(of file: OpenFile, in bounds: Range<Int>, budget: Budget, isSecure: Bool) {
        self.file = file
        self.budget = budget
        rest = bounds
        let byteCount = isSecure ? Self.securePieceByteCount : Self.pieceByteCount
        if budget.take(byteCount) {
            takenByteCount = byteCount
            byteCountAtOnce = byteCount
        } else {
            takenByteCount = 0
            byteCountAtOnce = isSecure ? Self.recordByteCount : nil
        }
    }

    deinit {
        budget.give(takenByteCount)
    }

    /// What is to be written next; nil at the end. A region's handle is to be closed after the writing.
    /// - Throws: where the file cannot be read, or became shorter: the length that was promised cannot be kept.
    func next() throws -> IOData? {
        guard !rest.isEmpty else { return nil }
        guard let byteCountAtOnce else {
            defer { rest = rest.upperBound..<rest.upperBound }
            return .fileRegion(try file.region(rest))
        }
        // The channel has let go of the piece before: its memory is used again.
        piece.clear()
        try file.read(into: &piece, at: rest.lowerBound, count: min(rest.count, byteCountAtOnce))
        rest = rest.dropFirst(piece.readableBytes)
        return .byteBuffer(piece)
    }
}
