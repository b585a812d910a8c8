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
        /// Mandatory releases that newer ones have hidden, newest first. They are offered to nobody. A device that skips
        /// one treats the newer release as mandatory.
        public let skippedMandatory: [Release]
        /// The feature gate. If it is false, the app loads the package's pages online.
        public let isEnabled: Bool

        public init(releases: [Release], skippedMandatory: [Release] = [], isEnabled: Bool = true) {
            self.releases = releases
            self.skippedMandatory = skippedMandatory
            self.isEnabled = isEnabled
        }
    }

    /// The app that the channel belongs to.
    public let app: String
    public let channel: ChannelName
    public let packages: [PackageID: Package]
    /// nil: as the app has it.
    public let poll: ChannelPoll?
    /// Exceptions for all packages of the channel, after the app's own. They have no `api`: where requests lead is the
    /// publishers' and the app's word, not the online key's.
    public let rules: WebRules?
    /// The groups that conditions may name, by their names. A device fetches one only if a release names it.
    public let groups: [String: GroupReference]

    public init(
        app: String, channel: ChannelName, packages: [PackageID: Package], poll: ChannelPoll? = nil,
        rules: WebRules? = nil, groups: [String: GroupReference] = [:]
    ) {
        self.app = app
        self.channel = channel
        self.packages = packages
        self.poll = poll
        self.rules = rules
        self.groups = groups
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
        let isOfFormat1 = packages.values.allSatisfy { package in
            package.skippedMandatory.isEmpty && package.releases.allSatisfy(\.isOfFormat1)
        }
        return isOfFormat1 && poll == nil && rules == nil && groups.isEmpty ? 1 : 2
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
    public var bytes: [UInt8] { JSONValue.object(json).canonicalBytes }

    var json: JSONObject {
        let packages = packages.map { id, package -> (String, JSONValue) in
            var json: JSONObject = ["releases": .array(package.releases.map { .object($0.json) })]
            if !package.skippedMandatory.isEmpty {
                json["skippedMandatory"] = .array(package.skippedMandatory.map { .object($0.json) })
            }
            if !package.isEnabled { json["enabled"] = false }
            return (id.text, .object(json))
        }
        var document: JSONObject = [
            "format": .integer(neededFormat), "app": .string(app), "channel": .string(channel.text),
            "packages": .object(JSONObject(packages)),
        ]
        if let poll { document["poll"] = .object(poll.json) }
        if let rules { document["rules"] = .object(rules.json) }
        if !groups.isEmpty {
            document["groups"] = .object(
                JSONObject(
                    groups.map { name, group in
                        (name, .object(["count": .integer(group.deviceCount), "sha256": .string(group.digest.hex)]))
                    }))
        }
        return document
    }

    init(json: JSONObject) throws {
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
            let skipped = format < 2 ? nil : package["skippedMandatory"]
            packages[try PackageID(member.key)] = try Package(
                releases: Self.releases(package.array("releases"), of: member.key, format),
                skippedMandatory: Self.releases(skipped?.array("skippedMandatory") ?? [], of: member.key, format),
                isEnabled: package["enabled"]?.bool("enabled") ?? true)
        }
        let poll = format < 2 ? nil : try json["poll"].map { try ChannelPoll(json: $0.object("poll")) }
        let rules = format < 2 ? nil : try json["rules"].map { try WebRules(json: $0.object("rules")) }
        try rules?.requireFit()
        try self.init(
            app: json.string("app"), channel: ChannelName(json.string("channel")), packages: packages, poll: poll,
            rules: rules, groups: format < 2 ? [:] : Self.groups(json["groups"]))
    }

    private static func groups(_ value: JSONValue?) throws -> [String: GroupReference] {
        var groups: [String: GroupReference] = [:]
        let members = try value?.object("groups").members ?? []
        guard members.count <= DeviceGroup.maximumCount else {
            throw FormatError.invalidDocument(
                "the channel file", reason: "it has more than \(DeviceGroup.maximumCount) groups")
        }
        // A device makes a file's name of a group's: what is no name is no group, and admits nobody.
        for member in members where DeviceGroup.isName(member.key) {
            let group = try member.value.object(member.key)
            groups[member.key] = try GroupReference(
                deviceCount: group.integer("count"), digest: Digest(hex: group.string("sha256")))
        }
        return groups
    }

    /// The groups that releases of these packages name, and that the channel has.
    package func groups(namedBy packages: some Sequence<Package>) -> Set<String> {
        guard !groups.isEmpty else { return [] }
        var names: Set<String> = []
        for package in packages {
            for release in package.releases { names.formUnion(release.rollout.groups) }
            for release in package.skippedMandatory { names.formUnion(release.rollout.groups) }
        }
        return names.filter { groups[$0] != nil }
    }

    /// The releases whose audience names a group, by package, newest first.
    package func releases(for group: String) -> [(package: PackageID, release: Release)] {
        packages.sorted { $0.key < $1.key }.flatMap { package, content in
            content.releases.filter { $0.rollout.groups.contains(group) }.map { (package, $0) }
        }
    }

    private static func releases(_ values: [JSONValue], of package: String, _ format: Int) throws -> [Release] {
        guard values.count <= maximumReleaseCount else {
            throw FormatError.invalidDocument(
                "the channel file", reason: "it lists more than \(maximumReleaseCount) releases of \"\(package)\"")
        }
        return try values.map { try Release(json: $0.object("release"), format: format) }
    }
}
