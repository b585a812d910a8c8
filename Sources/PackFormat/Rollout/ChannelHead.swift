import PackJSON

/// What a large channel says of all its packages, and in which part each of them is: `channels/CHANNEL.v3.json`.
///
/// A device that uses few of many packages reads this file and the parts (`channels/CHANNEL.part-N.json`) of its packages, and not the
/// channel's whole file, which lists all of them. The whole file's entry in the signed role says how many parts there are
/// (`"parts": 128`); a program that does not know parts leaves it out when it signs another file, and then there are none.
package struct ChannelHead: Hashable, Sendable {
    package static let format = 3
    /// The member of the whole file's entry in the signed role that says how many parts there are.
    package static let countField = "parts"
    package static let maximumByteCount = 1 << 20
    package static let maximumPartCount = 256

    /// Without packages, but those whose gate is off: the only thing of a package that holds before anybody uses it.
    package let channel: ChannelFile
    package let partCount: Int
    /// The parts of packages that are not in the one of their own name, because they are in a set with others.
    package let moved: [PackageID: Int]

    init(_ channel: ChannelFile, partCount: Int, moved: [PackageID: Int]) {
        self.channel = channel
        self.partCount = partCount
        self.moved = moved
    }

    /// - Throws: ``FormatError/invalidDocument(_:reason:)``, ``FormatError/unsupportedFormat(_:found:supported:)``
    package init(parsing bytes: some Collection<UInt8>) throws(FormatError) {
        self = try ChannelPart.reading("the head of a channel", bytes, Self.maximumByteCount) { json in
            let disabled = try json.array("disabled").map { (try PackageID($0.string("disabled")), Self.offPackage) }
            let count = try json.integer("parts")
            guard (1...Self.maximumPartCount).contains(count) else {
                throw FormatError.invalidDocument("the head of a channel", reason: "it has \(count) parts")
            }
            var moved: [PackageID: Int] = [:]
            for member in try json.object("moved").members {
                moved[try PackageID(member.key)] = try member.value.integer(member.key)
            }
            guard moved.values.allSatisfy({ (0..<count).contains($0) }) else {
                throw FormatError.invalidDocument("the head of a channel", reason: "a package is in no part of it")
            }
            let general = try ChannelFile(json: json)
            return Self(
                general.with(packages: Dictionary(disabled, uniquingKeysWith: { $1 })), partCount: count, moved: moved)
        }
    }

    package var bytes: [UInt8] {
        var json = channel.with(packages: [:]).json
        json["format"] = .integer(Self.format)
        json["parts"] = .integer(partCount)
        json["disabled"] = .array(channel.packages.keys.sorted().map { .string($0.text) })
        json["moved"] = .object(JSONObject(moved.map { ($0.key.text, .integer($0.value)) }))
        return JSONValue.object(json).canonicalBytes
    }

    static let offPackage = ChannelFile.Package(releases: [], isEnabled: false)

    /// The part in which a package is, if it is in the channel.
    package func part(of package: PackageID) -> Int {
        moved[package] ?? ChannelPart.ownPart(of: package, count: partCount)
    }

    /// The channel with the packages of some parts.
    package func file(with parts: [ChannelFile]) -> ChannelFile {
        var packages = channel.packages
        for part in parts { packages.merge(part.packages) { $1 } }
        return channel.with(packages: packages)
    }
}

/// One part of a large channel: a channel file of some of its packages, with the part's number.
package enum ChannelPart {
    /// The part that a package is in by its name: the first four bytes of the name's SHA-256, modulo the number of parts.
    static func ownPart(of package: PackageID, count: Int) -> Int {
        Digest(of: Array(package.text.utf8)).bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } % count
    }

    /// - Throws: ``FormatError/invalidDocument(_:reason:)`` also for another part than the wanted one.
    package static func file(parsing bytes: some Collection<UInt8>, part: Int) throws(FormatError) -> ChannelFile {
        try reading("a part of a channel", bytes, ChannelFile.maximumByteCount) { json in
            guard try json.integer("part") == part else {
                throw FormatError.invalidDocument("a part of a channel", reason: "it is not part \(part)")
            }
            return try ChannelFile(json: json)
        }
    }

    static func bytes(of file: ChannelFile, part: Int) -> [UInt8] {
        var json = file.json
        json["format"] = .integer(ChannelHead.format)
        json["part"] = .integer(part)
        return JSONValue.object(json).canonicalBytes
    }

    /// - Parameter body: gets the document as one of the whole file's newest format, of which both are parts.
    static func reading<Value>(
        _ name: String, _ bytes: some Collection<UInt8>, _ maximumByteCount: Int, _ body: (JSONObject) throws -> Value
    ) throws(FormatError) -> Value {
        guard bytes.count <= maximumByteCount else {
            throw .invalidDocument(name, reason: "it is larger than \(maximumByteCount) bytes")
        }
        do {
            var json = try JSONValue(parsing: bytes).object(name)
            let format = try json.integer("format")
            guard format == ChannelHead.format else {
                throw FormatError.unsupportedFormat(name, found: format, supported: ChannelHead.format)
            }
            json["format"] = .integer(ChannelFile.currentFormat)
            return try body(json)
        } catch let error as FormatError {
            throw error
        } catch {
            throw .invalidDocument(name, reason: "\(error)")
        }
    }
}
