import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The description of another metadata file in a timestamp or snapshot (§4.4 METAFILES).
public struct MetaFile: Sendable, Equatable {
    public var version: Int
    /// The length in bytes. If the repository leaves it out, it is nil and the limit for the role applies.
    public var length: Int?
    public var hashes: FileHashes?
    private var extra = JSONObject()

    /// Describes metadata by its version, or also by its content.
    public init(version: Int, length: Int? = nil, hashes: FileHashes? = nil) {
        self.version = version
        self.length = length
        self.hashes = hashes
    }

    init(reading object: JSONObject) throws {
        version = try object.integer("version")
        guard version > 0 else { throw MetadataFault("the version \(version) is not above 0") }
        length = try object["length"]?.integer("length")
        if let length, length < 0 { throw MetadataFault("the length \(length) is below 0") }
        hashes = try object["hashes"].map { try FileHashes(reading: try $0.object("hashes")) }
        extra = object.unknown(besides: "version", "length", "hashes")
    }

    var json: JSONObject {
        var object = extra
        object["version"] = .integer(version)
        object["length"] = length.map { .integer($0) }
        object["hashes"] = hashes?.json
        return object
    }

    /// Checks length and hashes if they are listed.
    /// - Throws: ``TrustError/mismatch(name:reason:)``
    public func check(_ bytes: some DataProtocol, name: String) throws(TrustError) {
        if let length, bytes.count != length {
            throw .mismatch(name: name, reason: "it has \(bytes.count) bytes, \(length) are signed")
        }
        if let fault = hashes?.fault(in: bytes) { throw .mismatch(name: name, reason: fault) }
    }
}
