package import Foundation

/// Reads the published view: over HTTP, or from a folder.
///
/// Paths are those of `ViewLayout`. Nothing that a transport gives is trusted; it only bounds length and time.
package protocol UpdateTransport: Sendable {
    /// Reads a small file whole.
    /// - Parameters:
    ///   - maximumByteCount: a longer answer is an error before it is in memory.
    ///   - validator: the ETag under which the caller has the file already.
    func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer

    /// Downloads to a file, going on where an earlier attempt left it: the file is kept when this fails, and only
    /// bytes of the same ETag are appended to it.
    /// - Returns: false where there is no such file.
    func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool
}

package enum ReadAnswer: Sendable {
    case bytes([UInt8], validator: String?)
    case unchanged
    case missing
}
