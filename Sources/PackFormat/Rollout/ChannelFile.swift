import PackJSON

/// `channels/CHANNEL.json`: the releases of each package of an app on one channel, newest first.
///
/// Unknown fields of the file and of a package are ignored, so that a registry can say more than an older device
/// understands. A field that an older device must not ignore raises the format number. In format 1 a release has a
/// whole percentage and no audience. In format 2 no device installs a release with an unknown field.
public struct ChannelFile: Hashable, Sendable {
    /// The newest format that this program reads.
    public static let currentFormat = 2
    /// The largest channel file in bytes.
    public static let maximumByteCount = 16 << 20
    /// The limits for a channel file from outside: a device records a line for each package, and looks at each
    /// release.
    public static let maximumPackageCount = 2_000
    public static let maximumReleaseCount = 1_000

    public struct Package: Hashable, Sendable {
        /// Newest first.
        public let releases: [Release]
        /// The feature gate. If it is false, the app loads the package's pages online.
        public let isEnabled: Bool

        public init(releases: [Release], isEnabled: Bool = true) {
            self.releases = releases
            self.isEnabled = isEnabled
        }
    }

    /// The app that the channel belongs to.
    public let app: String
    public let channel: ChannelName
    public let packages: [PackageID: Package]

    public init(app: String, channel: ChannelName, packages: [PackageID: Package]) {
        self.app = app
        self.channel = channel
        self.packages = packages
    }

    /// - Throws: ``FormatError/invalidDocument(_:reason:)``, ``FormatError/unsupportedFormat(_:found:supported:)``
    public init(parsing bytes: some Collection<UInt8>) throws(FormatError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw .invalidDocument("the channel file", reason: "it is larger than \(Self.maximumByteCount) bytes")
        }
        do {
            self = try Self(json: JSONValue(parsing: bytes).object("channel file"))
        } catch let error as FormatError {
            throw error
        } catch {
            throw .invalidDocument("the channel file", reason: "\(error)")
        }
    }

    /// The lowest format that can express the whole file.
    public var neededFormat: Int {
        packages.values.contains { $0.releases.contains { !$0.isOfFormat1 } } ? 2 : 1
    }

    /// The file for devices that read only format 1: it leaves out releases that are for some devices and rounds
    /// shares down, so that no device gets more than it should.
    public var inFormat1: ChannelFile {
        guard neededFormat > 1 else { return self }
        return ChannelFile(
            app: app, channel: channel,
            packages: packages.mapValues { package in
                Package(releases: package.releases.compactMap(\.inFormat1), isEnabled: package.isEnabled)
            })
    }

    /// The documents to publish, by format; the last one is complete.
    package var documents: [(format: Int, bytes: [UInt8])] {
        let format = neededFormat
        return format == 1 ? [(1, bytes)] : [(1, inFormat1.bytes), (format, bytes)]
    }

    /// Canonical JSON in the lowest format that can express the whole file.
    public var bytes: [UInt8] {
        let packages = packages.map { id, package -> (String, JSONValue) in
            var json: JSONObject = ["releases": .array(package.releases.map { .object($0.json) })]
            if !package.isEnabled { json["enabled"] = false }
            return (id.text, .object(json))
        }
        let document: JSONObject = [
            "format": .integer(neededFormat), "app": .string(app), "channel": .string(channel.text),
            "packages": .object(JSONObject(packages)),
        ]
        return JSONValue.object(document).canonicalBytes
    }

    private init(json: JSONObject) throws {
        let format = try json.integer("format")
        guard (1...Self.currentFormat).contains(format) else {
            throw FormatError.unsupportedFormat("the channel file", found: format, supported: Self.currentFormat)
        }
        var packages: [PackageID: Package] = [:]
        let members = try json.object("packages").members
        guard members.count <= Self.maximumPackageCount else {
            throw FormatError.invalidDocument(
                "the channel file", reason: "it lists more than \(Self.maximumPackageCount) packages")
        }
        for member in members {
            let package = try member.value.object(member.key)
            let releases = try package.array("releases")
            guard releases.count <= Self.maximumReleaseCount else {
                throw FormatError.invalidDocument(
                    "the channel file",
                    reason: "it lists more than \(Self.maximumReleaseCount) releases of \"\(member.key)\"")
            }
            packages[try PackageID(member.key)] = try Package(
                releases: releases.map { try Release(json: $0.object("release"), format: format) },
                isEnabled: package["enabled"]?.bool("enabled") ?? true)
        }
        try self.init(app: json.string("app"), channel: ChannelName(json.string("channel")), packages: packages)
    }
}
