package import PackFormat
import PackJSON

/// What `state.json` holds: everything that a device knows, replaced as a whole.
package struct StoreState: Hashable, Sendable {
    package static let currentFormat = 1
    /// Bytes.
    static let maximumByteCount = 16 << 20

    /// The random id of this installation, made once and never sent.
    package var deviceID: String
    /// The app of the first channel file; the store refuses channel files of another app.
    package var app: String?
    package var packages: [PackageID: PackageState] = [:]
    /// The digests of the installed presets, so that each is read once.
    package var presets: Set<Digest> = []
    /// What the channel last said of pages, and of how often to look.
    package var rules: WebRules?
    /// The app's version when it started last.
    package var appVersion: AppVersion?
    package var poll: ChannelPoll?

    package init(deviceID: String) {
        self.deviceID = deviceID
    }

    package subscript(package: PackageID) -> PackageState {
        get { packages[package] ?? PackageState() }
        // Nothing is kept of a package of which nothing is known.
        set { packages[package] = newValue == PackageState() ? nil : newValue }
    }

    /// Records that somebody opened the package. Any name can be requested, so only a few names are kept that no
    /// check has found in the channel.
    package mutating func noteWish(for package: PackageID) {
        guard packages[package] != nil || packages.values.count(where: \.isOnlyWanted) < Self.wishLimit else { return }
        self[package].isWanted = true
    }

    /// Drops the wishes for packages that the channel does not have.
    package mutating func dropWishes(outside known: some Collection<PackageID>) {
        let known = Set(known)
        packages = packages.filter { known.contains($0.key) || !$0.value.isOnlyWanted }
    }

    /// Takes over what the channel says of all its packages, whichever of them a check is about: gates and rules are
    /// switches for an emergency.
    /// - Returns: what changed, in words, by package; nil: of all of them.
    mutating func obey(_ channel: ChannelFile) -> [(PackageID?, String)] {
        var changes: [(PackageID?, String)] = []
        for (package, offered) in channel.packages.sorted(by: { $0.key < $1.key }) {
            if let change = obey(offered, package) { changes.append((package, change)) }
        }
        if rules != channel.rules {
            rules = channel.rules
            let count = rules.map { CountText.text($0.rules.count, "web rule") } ?? "no web rules any more"
            changes.append((nil, "the channel has \(count)"))
        }
        poll = channel.poll
        return changes
    }

    static let wishLimit = 64
}

extension StoreState {
    /// Why the bytes are not a state that this program can use.
    enum ReadError: Error {
        case newer(found: Int)
        case damaged(reason: String)
    }

    init(parsing bytes: [UInt8]) throws(ReadError) {
        do {
            let json = try JSONValue(parsing: bytes).object("state")
            let format = try json.integer("format")
            guard format <= Self.currentFormat else { throw ReadError.newer(found: format) }
            deviceID = try json.string("device")
            app = try json["app"]?.string("app")
            for member in try json.object("packages").members {
                packages[try PackageID(member.key)] = try PackageState(json: member.value.object(member.key))
            }
            appVersion = try json["appVersion"].map { try AppVersion($0.string("appVersion")) }
            rules = try json["rules"].map { try WebRules(json: $0.object("rules")) }
            poll = try json["poll"].map { try ChannelPoll(json: $0.object("poll")) }
            presets = try Set(json.array("presets").map { try Digest(hex: $0.string("presets")) })
        } catch let error as ReadError {
            throw error
        } catch {
            throw .damaged(reason: "\(error)")
        }
    }

    var bytes: [UInt8] {
        var json: JSONObject = [
            "format": .integer(Self.currentFormat), "device": .string(deviceID),
            "packages": .object(JSONObject(packages.map { ($0.key.text, .object($0.value.json)) })),
            "presets": .array(presets.sorted().map { .string($0.hex) }),
        ]
        json["app"] = app.map { .string($0) }
        json["appVersion"] = appVersion.map { .string($0.description) }
        json["rules"] = rules.map { .object($0.json) }
        json["poll"] = poll.map { .object($0.json) }
        return Array((JSONValue.object(json).prettyText + "\n").utf8)
    }
}
