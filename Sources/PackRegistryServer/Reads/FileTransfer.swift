import NIOCore
import Synchronization

/// A part of a file that is being sent to a client, a piece at a time.
///
/// Pieces are read into memory while the server's budget for that lasts: from memory the kernel sends about half as
/// much again a second as with `sendfile`, whose pages it handles one by one. Beyond the budget the rest is sent with
/// `sendfile`, which holds nothing, so any number of slow clients holds no more than the budget.
final class FileTransfer {
    /// Bytes that are read at once: more than a socket takes at a time, and few enough to stay in a core's cache.
    static let pieceByteCount = OpenFile.chunkByteCount

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
    private let budget: Budget?
    /// What has not been given out.
    private(set) var rest: Range<Int>
    private var piece = ByteBuffer()

    /// nil if bytes are to be encrypted, so that no file goes to the socket by itself, and the budget is spent.
    init?(of file: OpenFile, in bounds: Range<Int>, budget: Budget, isSecure: Bool) {
        self.file = file
        rest = bounds
        if budget.take(Self.pieceByteCount) {
            self.budget = budget
        } else if isSecure {
            return nil
        } else {
            self.budget = nil
        }
    }

    deinit {
        budget?.give(Self.pieceByteCount)
    }

    /// What is to be written next; nil at the end. A region's handle is to be closed after the writing.
    /// - Throws: where the file cannot be read, or became shorter: the length that was promised cannot be kept.
    func next() throws -> IOData? {
        guard !rest.isEmpty else { return nil }
        guard budget != nil else {
            defer { rest = rest.upperBound..<rest.upperBound }
            return .fileRegion(try file.region(rest))
        }
        // The channel has let go of the piece before: its memory is used again.
        piece.clear()
        try file.read(into: &piece, at: rest.lowerBound, count: min(rest.count, Self.pieceByteCount))
        rest = rest.dropFirst(piece.readableBytes)
        return .byteBuffer(piece)
    }
}
