import Foundation

/// A small file that people write, such as a plan.
enum WrittenFile {
    /// - Parameter kind: what it is, such as `plan`.
    /// - Throws: ``CommandFailure`` for a file that is too large or cannot be read.
    static func bytes(_ path: String, as kind: String, maximumByteCount: Int) throws -> [UInt8] {
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        guard size <= maximumByteCount else {
            throw CommandFailure(
                "\(path): it has \(size) bytes, and a \(kind) has \(maximumByteCount) at most", kind: "invalid")
        }
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandFailure("the \(kind) \(path) cannot be read: is the name right?", kind: "notFound")
        }
        return Array(bytes)
    }
}
