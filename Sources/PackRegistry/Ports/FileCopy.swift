import Foundation
import PackRegistryAPI

/// Writes what is read in pieces to a file of this machine, which appears whole or not at all.
struct FileCopy: Sendable {
    private static let pieceByteCount = 4 << 20

    /// For messages.
    let name: String
    /// Nothing is there yet.
    let destination: URL

    /// - Parameter read: reads at most so many bytes from an offset on; nil where there is no such file.
    /// - Returns: False if there is no such file.
    func write(reading read: (_ offset: Int, _ maximumByteCount: Int) async throws -> ViewPart?) async throws -> Bool {
        // What was cut off is never left under the name that was asked for.
        let place = destination.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part")
        defer { try? FileManager.default.removeItem(at: place) }
        guard var part = try await read(0, Self.pieceByteCount) else { return false }
        let size = part.size
        guard
            FileManager.default.createFile(
                atPath: place.path(percentEncoded: false), contents: nil, attributes: [.posixPermissions: 0o644])
        else { throw RegistryError(.unusable, "\(place.path(percentEncoded: false)) cannot be written") }
        let file = try FileHandle(forWritingTo: place)
        var written = 0
        while true {
            let bytes = part.bytes
            try await BlockingWork.run { try file.write(contentsOf: bytes) }
            written += bytes.count
            guard written < size else { break }
            let next = try await read(written, Self.pieceByteCount)
            guard let next, next.size == size, !next.bytes.isEmpty else {
                throw RegistryError(.busy, "\(name) was replaced while it was read: try again")
            }
            part = next
        }
        try file.close()
        try FileManager.default.moveItem(at: place, to: destination)
        return true
    }
}
