import PackFormat
import PackRegistryAPI

/// Whether a store keeps the conditions of a write. Without them two servers could move the view backwards: the one that is late
/// would replace the newer timestamp by an older one.
///
/// A store that does not know a condition stores all the same and answers 200. So it is tried, on an object of its own. After the
/// first time it costs two requests, both of which are refused.
struct ConditionalWrites: Sendable {
    /// Beside the folders of the view.
    static let name = "conditions.txt"

    private static let text = """
        packtool writes this file when it opens the store. It finds out whether the store refuses a write whose condition \
        (If-None-Match, If-Match) is not met.\n
        """
    /// The tag of nothing.
    private static let foreignTag = "\"00000000000000000000000000000000\""

    private let bucket: S3Bucket

    init(_ bucket: S3Bucket) {
        self.bucket = bucket
    }

    /// - Throws: ``RegistryError`` of the kind `.unusable` with the reason.
    func check() async throws {
        switch try await put(if: .isAbsent, "If-None-Match") {
        case .refused: break
        case .stored(let tag):
            // The first one, or a store that stores in any case.
            guard try await put(if: .isAbsent, "If-None-Match") == .refused else { throw missing("If-None-Match") }
            guard let tag else { throw bucket.unusable("gives no ETag for what it stores: another store is needed") }
            guard case .stored = try await put(if: .hasTag(tag), "If-Match") else {
                throw bucket.unusable("refuses a write whose condition (If-Match) is met: another store is needed")
            }
        }
        guard try await put(if: .hasTag(Self.foreignTag), "If-Match") == .refused else { throw missing("If-Match") }
    }

    private func put(if condition: S3Bucket.Condition, _ field: String) async throws -> S3Bucket.Outcome {
        let kind = S3Kind(mediaType: "text/plain; charset=utf-8", cacheControl: CacheControl.none)
        do {
            return try await bucket.write(Self.name, Array(Self.text.utf8), as: kind, if: condition)
        } catch let fault as S3Fault {
            throw fault.isUnknown ? missing(field, fault.message) : await bucket.client.error(for: fault)
        }
    }

    private func missing(_ field: String, _ said: String? = nil) -> RegistryError {
        bucket.unusable(
            "does not support conditional writes (\(field))\(said.map { ": \($0)" } ?? ""). Without them two servers could "
                + "show an older view over a newer one, so it cannot have a registry. Amazon S3 and most other stores of today "
                + "support them: update this one, or use another one")
    }
}
