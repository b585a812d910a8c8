#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Reads the published view over HTTP or from a folder.
///
/// Paths are those of `ViewLayout`. The answers of a transport are not trusted; it only limits length and time.
package protocol UpdateTransport: Sendable {
    /// Reads a whole small file.
    /// - Parameters:
    ///   - maximumByteCount: a longer answer is an error before it is in memory.
    ///   - validator: the ETag under which the caller has the file already.
    func read(_ path: String, maximumByteCount: Int, validator: String?) async throws -> ReadAnswer

    /// Downloads to a file and continues where an earlier attempt ended. The file is kept if the download fails, and
    /// only bytes of the same ETag are appended to it.
    /// - Returns: false if there is no such file.
    func download(_ path: String, to file: URL, maximumByteCount: Int) async throws -> Bool
}

package enum ReadAnswer: Sendable {
    case bytes([UInt8], validator: String?)
    case unchanged
    case missing
}
