import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The signed description of a target file (§4.5 TARGETS). A file under the path must match it exactly.
public struct TargetInfo: Sendable, Equatable {
    /// The length in bytes.
    public var length: Int
    public var hashes: FileHashes
    private var extra = JSONObject()

    /// Describes a file in memory.
    public init(of data: some DataProtocol) {
        length = data.count
        hashes = FileHashes(of: data)
    }

    /// Describes a file whose length and hashes are known.
    public init(length: Int, hashes: FileHashes) {
        self.length = length
        self.hashes = hashes
    }

    /// A number that a repository says of the file beside what the specification has; nil for none.
    public subscript(extra name: String) -> Int? {
        get { try? extra[name]?.integer(name) }
        set { extra[name] = newValue.map { .integer($0) } }
    }

    init(reading object: JSONObject) throws {
        length = try object.integer("length")
        guard length >= 0 else { throw MetadataFault("the length \(length) is below 0") }
        hashes = try FileHashes(reading: try object.object("hashes"))
        extra = object.unknown(besides: "length", "hashes")
    }

    var json: JSONObject {
        var object = extra
        object["length"] = .integer(length)
        object["hashes"] = hashes.json
        return object
    }

    /// Accepts exactly the signed bytes (§5.7).
    /// - Throws: ``TrustError/mismatch(name:reason:)``
    public func check(_ bytes: some DataProtocol, path: String) throws(TrustError) {
        guard bytes.count == length else {
            throw .mismatch(name: path, reason: "it has \(bytes.count) bytes, \(length) are signed")
        }
        if let fault = hashes.fault(in: bytes) { throw .mismatch(name: path, reason: fault) }
    }
}
