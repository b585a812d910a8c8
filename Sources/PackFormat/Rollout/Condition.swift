/// One requirement of a rollout on a device. The list is closed: an unknown condition admits no device, because
/// ignoring it would give a release to all.
public enum Condition: Hashable, Sendable {
    /// The value of a tag: for the tag `tier`, such as `gold` or `silver`.
    case tag(String, in: [String])
    case app(AppVersionRange)
    case os(AppVersionRange)
    /// A platform such as `ios`. Upper and lower case are alike in this and the next two.
    case platform([String])
    /// A language (`de` admits `de-AT`) or a language and a region.
    case locale([String])
    /// A region by ISO 3166-1, such as `DE`.
    case region([String])
    /// The beginning of a device model, such as `iPhone14,`.
    case model([String])
    case network([NetworkKind])
    /// Single installations, by their hashes (``Condition/hash(ofDevice:)``): these, or all but these.
    case device([String], isIn: Bool)
    /// Named groups of devices (``DeviceGroup``): one of these.
    case group([String])
    /// A condition of a newer program: its kind, and its content as JSON.
    case unknown(String, json: String)

    /// The hash by which a rollout names a device: the first 16 bytes of SHA-256(`packtool device ` + id) in
    /// hexadecimal digits, so that no channel file contains an id.
    public static func hash(ofDevice id: String) -> String {
        String(Digest(of: Array("packtool device \(id)".utf8)).hex.prefix(32))
    }

    /// Why a device is not admitted; nil if it is.
    func refusal(of device: DeviceFacts) -> String? {
        switch self {
        case .app(let range): Self.refusal(device.appVersion, range, "the app's version")
        case .os(let range): Self.refusal(device.osVersion, range, "the system's version")
        case .platform(let names): Self.refusal(device.platform, "platform", names) { $0 == $1 }
        case .region(let names): Self.refusal(device.region, "region", names) { $0 == $1 }
        case .locale(let names):
            Self.refusal(device.locale?.replacing("_", with: "-"), "locale", names) {
                $0 == $1 || $0.hasPrefix($1 + "-")
            }
        case .model(let prefixes): Self.refusal(device.model, "device model", prefixes) { $0.hasPrefix($1) }
        case .network(let kinds):
            Self.refusal(device.network?.rawValue, "network", kinds.map(\.rawValue)) { $0 == $1 }
        case .tag(let name, let values):
            device.tags[name].map(values.contains) == true
                ? nil : "the tag \(name) is \(device.tags[name] ?? "not set"), not \(Self.list(values))"
        case .device(let hashes, let isIn):
            hashes.contains(Self.hash(ofDevice: device.deviceID)) == isIn
                ? nil : isIn ? "the device is not among those that are named" : "the device is named as left out"
        case .group(let names):
            Self.refusal(names, of: device)
        case .unknown(let kind, _): "it asks for \"\(kind)\", which this program does not know"
        }
    }

    /// The value that the condition is about, for people.
    func seen(on device: DeviceFacts) -> String {
        let value: String? =
            switch self {
            case .app: device.appVersion?.description
            case .os: device.osVersion?.description
            case .platform: device.platform
            case .region: device.region
            case .locale: device.locale
            case .model: device.model
            case .network: device.network?.rawValue
            case .tag(let name, _): device.tags[name]
            case .device: device.deviceID.isEmpty ? nil : "the device's hash is \(Self.hash(ofDevice: device.deviceID))"
            case .group: device.groups.isEmpty ? nil : device.groups.sorted().joined(separator: ",")
            case .unknown: "this program does not know the condition"
            }
        return value ?? "not known"
    }

    /// A group that cannot be read admits nobody, whether a condition asks for its devices or for all others.
    private static func refusal(_ groups: [String], of device: DeviceFacts) -> String? {
        let readable = groups.filter { device.unreadableGroups[$0] == nil }
        if readable.contains(where: device.groups.contains) { return nil }
        if let (name, why) = groups.lazy.compactMap({ name in device.unreadableGroups[name].map { (name, $0) } }).first
        {
            return "the group \(name) cannot be read (\(why)), and so the device is not in it"
        }
        return "the device is not in the group \(list(groups))"
    }

    private static func refusal(_ value: AppVersion?, _ range: AppVersionRange, _ name: String) -> String? {
        guard let value else { return "\(name) is not known" }
        return range.contains(value) ? nil : "\(name) is \(value), not \(range)"
    }

    private static func refusal(
        _ value: String?, _ name: String, _ wanted: [String], _ isMatch: (String, String) -> Bool
    ) -> String? {
        guard let value else { return "its \(name) is not known" }
        let lower = value.lowercased()
        return wanted.contains { isMatch(lower, $0.lowercased()) }
            ? nil : "its \(name) is \(value), not \(list(wanted))"
    }

    private static func list(_ values: [String]) -> String { values.joined(separator: " or ") }
}

/// Whether the user pays for transferred bytes.
public enum NetworkKind: String, Hashable, Sendable, CaseIterable {
    case unmetered
    case metered
}
