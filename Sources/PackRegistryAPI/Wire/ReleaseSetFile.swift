package import PackFormat
import PackJSON

/// A set in a file, for `packtool release`: versions that were published, and perhaps where they are offered and to whom.
package struct ReleaseSetFile: Hashable, Sendable {
    package static let maximumByteCount = 1 << 20

    private static let keys = ["$schema", "packages", "channel", "share", "audiences"]

    package let versions: [PackageID: SemanticVersion]
    package let channel: ChannelName?
    package let share: Share?
    /// Empty for all devices.
    package let audiences: [Audience]

    /// - Parameter name: of the file, for messages.
    /// - Throws: ``RegistryError`` of the kind `.invalid` that says file, line, column, place and reason.
    package init(parsing bytes: [UInt8], named name: String) throws(RegistryError) {
        self = try FieldReader.file(bytes, named: name, as: "a set", maximumByteCount: Self.maximumByteCount) {
            document throws(FieldReader.Mistake) in try Self(document)
        }
    }

    private init(_ document: JSONValue) throws(FieldReader.Mistake) {
        let reader = try FieldReader(document, path: "", known: Self.keys)
        guard let versions = try reader.value("packages", { value, path in try Self.versions(value, path) }) else {
            throw FieldReader.Mistake(fault: FieldFault("", "\"packages\" is missing"))
        }
        self.versions = versions
        channel = try reader.value("channel") { value, _ in try ChannelName(value.string()) }
        share = try reader.value("share") { value, _ in try Share(plan: value) }
        audiences =
            try reader.value("audiences") { value, path in
                try value.array().enumerated().map { index, audience in
                    do { return try Audience(audience.string()) } catch {
                        throw FieldFault("\(path)[\(index)]", Self.reason(error))
                    }
                }
            } ?? []
    }

    private static func versions(_ value: JSONValue, _ path: String) throws -> [PackageID: SemanticVersion] {
        let members = try value.object().members
        guard (1...ReleaseSet.maximumCount).contains(members.count) else {
            throw FieldFault(
                path, "it must have 1 to \(ReleaseSet.maximumCount) packages with their versions, not \(members.count)")
        }
        var versions: [PackageID: SemanticVersion] = [:]
        for member in members {
            do {
                versions[try PackageID(member.key)] = try SemanticVersion(member.value.string())
            } catch {
                throw FieldReader.Mistake(
                    fault: FieldFault("\(path).\(member.key.prefix(64))", reason(error)), offset: member.offset)
            }
        }
        return versions
    }

    private static func reason(_ error: any Error) -> String {
        if case JSONError.unexpected(_, let wanted, let found) = error { return "it must be \(wanted), not \(found)" }
        return "\(error)"
    }
}
