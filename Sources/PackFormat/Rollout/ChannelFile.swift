package import PackJSON

/// `channels/CHANNEL.json`: for each package of an app the releases on one channel, newest first.
///
/// Unknown fields are ignored, so that a registry can say more than an older device understands; a change that an
/// older device must not ignore raises the format number.
public struct ChannelFile: Hashable, Sendable {
    public static let currentFormat = 1
    /// Bytes.
    public static let maximumByteCount = 16 << 20
    /// Bounds on a channel file from outside: a device writes down a line for each package, and looks at each release.
    public static let maximumPackageCount = 2_000
    public static let maximumReleaseCount = 1_000

    public struct Package: Hashable, Sendable {
        /// Newest first.
        public let releases: [Release]
        /// The feature gate: false makes the app load the package's pages online.
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

    /// Canonical JSON.
    public var bytes: [UInt8] {
        let packages = packages.map { id, package -> (String, JSONValue) in
            var json: JSONObject = ["releases": .array(package.releases.map { .object($0.json) })]
            if !package.isEnabled { json["enabled"] = false }
            return (id.text, .object(json))
        }
        let document: JSONObject = [
            "format": .integer(Self.currentFormat), "app": .string(app), "channel": .string(channel.text),
            "packages": .object(JSONObject(packages)),
        ]
        return JSONValue.object(document).canonicalBytes
    }

    private init(json: JSONObject) throws {
        let format = try json.integer("format")
        guard format == Self.currentFormat else {
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
                releases: releases.map { try Release(json: $0.object("release")) },
                isEnabled: package["enabled"]?.bool("enabled") ?? true)
        }
        try self.init(app: json.string("app"), channel: ChannelName(json.string("channel")), packages: packages)
    }
}

extension Release {
    package init(json: JSONObject) throws {
        let offer: Offer
        if try json["embedded"]?.bool("embedded") ?? false {
            offer = .embedded
        } else {
            offer = try .version(
                SemanticVersion(json.string("version")), manifest: Digest(hex: json.string("manifest")))
        }
        try self.init(
            id: json.string("id"), offer: offer,
            rollout: json["percent"].map { try Rollout(percent: $0.integer("percent")) } ?? .everyone,
            requiredApp: json["app"].map { try VersionRange($0.string("app")) },
            retry: json["retry"]?.integer("retry") ?? 0)
    }

    package var json: JSONObject {
        var json: JSONObject = ["id": .string(id)]
        switch offer {
        case .embedded: json["embedded"] = true
        case .version(let version, let manifest):
            json["version"] = .string(version.description)
            json["manifest"] = .string(manifest.hex)
        }
        if rollout.percent != 100 { json["percent"] = .integer(rollout.percent) }
        json["app"] = requiredApp.map { .string($0.description) }
        if retry != 0 { json["retry"] = .integer(retry) }
        return json
    }
}
