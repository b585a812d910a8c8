import PackJSON

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The signed part of one of the four kinds of TUF metadata.
public protocol RoleMetadata: Sendable, Equatable {
    /// The value of `_type` (§4.3 to §4.6).
    static var typeName: String { get }

    var header: MetadataHeader { get set }

    /// Parses the signed object and keeps unknown fields.
    init(fields: MetadataFields) throws

    /// The signed object, including the unknown fields that were parsed.
    var fields: MetadataFields { get }
}

extension RoleMetadata {
    /// The version, above 0, which grows with each publication.
    public var version: Int {
        get { header.version }
        set { header.version = newValue }
    }

    /// The time from which nobody may use the document.
    public var expires: Date {
        get { header.expires }
        set { header.expires = newValue }
    }

    /// Whether the document must not be used any more at `time`.
    public func isExpired(at time: Date) -> Bool { time >= header.expires }
}

/// The fields that all metadata has (§4.1).
public struct MetadataHeader: Sendable, Equatable {
    /// The specification of the writer; any 1.x is accepted.
    public var specificationVersion: String
    public var version: Int
    public var expires: Date

    /// A header of our own, for specification 1.0.34.
    public init(version: Int, expires: Date) {
        specificationVersion = "1.0.34"
        self.version = version
        self.expires = expires
    }

    init(reading object: JSONObject, type: String) throws {
        let found = try object.string("_type")
        guard found.isExactly(type) else {
            throw MetadataFault("its type is \"\(found)\" where \"\(type)\" is expected")
        }
        specificationVersion = try object.string("spec_version")
        try Self.check(specificationVersion: specificationVersion)
        version = try object.integer("version")
        guard version > 0 else { throw MetadataFault("the version \(version) is not above 0") }
        let text = try object.string("expires")
        guard let date = MetadataDate.date(from: text) else {
            throw MetadataFault("\"\(text)\" is not a date of the form 2030-01-31T00:00:00Z")
        }
        expires = date
    }

    /// `X.Y.Z`, or `X.Y` as older repositories wrote it; the major version must be ours (§4.1, 5.).
    private static func check(specificationVersion text: String) throws {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areNumbers = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard (2...3).contains(parts.count), areNumbers else {
            throw MetadataFault("\"\(text)\" is not a specification version")
        }
        guard parts[0].elementsEqual("1".utf8) else {
            throw MetadataFault("it follows specification \(text); this client knows 1.x")
        }
    }

    func write(to object: inout JSONObject, type: String) {
        object["_type"] = .string(type)
        object["spec_version"] = .string(specificationVersion)
        object["version"] = .integer(version)
        object["expires"] = .string(MetadataDate.text(of: expires))
    }
}
