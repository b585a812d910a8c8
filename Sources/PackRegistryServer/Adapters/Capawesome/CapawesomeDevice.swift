import HTTPTypes
import Hummingbird
import PackFormat

/// What a Capawesome client says of its device with a question about the latest bundle.
struct CapawesomeDevice: Sendable {
    /// The first version of the plugin that fetches single files by a list.
    private static let listRange = try? AppVersionRange(">=6.5.0")

    let facts: DeviceFacts
    /// The channel that the app or its user chose.
    let channel: String?
    /// The running bundle; nil for what the app brought.
    let current: String?
    let readsFileLists: Bool

    /// - Throws: ``Problem`` for texts that are too long.
    init(_ request: Request) throws(Problem) {
        let parameters = request.uri.queryParameters
        func text(_ name: String) throws(Problem) -> String? {
            guard let text = parameters[Substring(name)].map(String.init), !text.isEmpty else { return nil }
            return try DeviceText.checked(text, name)
        }
        let system = try text("osVersion")
        var tags: [String: String] = [:]
        tags["custom_id"] = try text("customId")
        let platform: String?
        let osVersion: AppVersion?
        switch try text("platform") {
        case "0": (platform, osVersion) = ("android", system.flatMap { Self.android(level: $0) })
        case "1": (platform, osVersion) = ("ios", system.flatMap { try? AppVersion($0) })
        default: (platform, osVersion) = (nil, nil)
        }
        facts = DeviceFacts(
            deviceID: try text("deviceId") ?? "",
            appVersion: try text("appVersionName").flatMap { try? AppVersion($0) },
            platform: platform, tags: tags, osVersion: osVersion)
        channel = try text("channelName")
        current = try text("bundleId")
        let plugin = try text("pluginVersion").flatMap { try? AppVersion($0) }
        readsFileLists = plugin.map { Self.listRange?.contains($0) ?? false } ?? false
    }

    /// Android says its API level. Rules and other clients have the version that users know.
    static func android(level text: String) -> AppVersion? {
        guard let level = Int(text) else { return nil }
        let name =
            switch level {
            case 33..<100: "\(level - 20)"
            case 31, 32: "12"
            case 28...30: "\(level - 19)"
            default: older[level]
            }
        return name.flatMap { try? AppVersion($0) }
    }

    private static let older = [21: "5.0", 22: "5.1", 23: "6.0", 24: "7.0", 25: "7.1", 26: "8.0", 27: "8.1"]
}
