import Crypto
import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The hashes of a file by algorithm name; at least one.
public struct FileHashes: Sendable, Equatable {
    /// Lower-case hexadecimal digests by algorithm: `sha256`, `sha384`, `sha512`, or an unknown name.
    public let byAlgorithm: NameTable<String>

    /// Computes hashes of bytes in memory: SHA-256, and others on request.
    public init(of data: some DataProtocol) {
        byAlgorithm = ["sha256": Array(SHA256.hash(data: data)).hexadecimal]
    }

    /// A SHA-256 that the caller has computed, as 64 hexadecimal digits.
    public init(sha256 hex: String) {
        byAlgorithm = ["sha256": hex]
    }

    init(reading object: JSONObject) throws {
        byAlgorithm = NameTable(try object.members.map { ($0.key, try $0.value.string($0.key)) })
        guard !byAlgorithm.isEmpty else { throw MetadataFault("\"hashes\" is empty") }
    }

    /// The SHA-256 as 64 hexadecimal digits, if listed.
    public var sha256: String? { byAlgorithm["sha256"] }

    /// The digest in a file's name under consistent snapshots (§6.2): SHA-256, or else the first one listed.
    public var nameDigest: String { sha256 ?? byAlgorithm.values.first ?? "" }

    var json: JSONValue {
        .object(JSONObject(byAlgorithm.entries.map { ($0.name, .string($0.value)) }))
    }

    /// Says what is wrong, or nil: every algorithm listed must be known, and every digest equal. A hash that cannot
    /// be checked is a refusal, or a repository could list only nonsense and have anything accepted.
    func fault(in data: some DataProtocol) -> String? {
        for entry in byAlgorithm.entries {
            let found: [UInt8]
            switch entry.name {
            case "sha256": found = Array(SHA256.hash(data: data))
            case "sha384": found = Array(SHA384.hash(data: data))
            case "sha512": found = Array(SHA512.hash(data: data))
            default: return "its hash algorithm \"\(entry.name)\" is not known"
            }
            guard found.hexadecimal == entry.value.lowercased() else {
                return "its \(entry.name) is \(found.hexadecimal), \(entry.value) is signed"
            }
        }
        return nil
    }
}
