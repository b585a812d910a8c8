import HTTPTypes
import PackFormat
import PackJSON

/// What a Capgo client says of its device with every request. Fields that are not known are ignored, and none but the
/// device's id has a use that cannot be left out.
struct CapgoDevice: Sendable {
    /// What the pages that the app brought are called.
    static let builtin = "builtin"

    let facts: DeviceFacts
    /// The channel that the app or its user chose.
    let channel: String?
    /// The running version; nil for what the app embeds.
    let current: String?
    /// Whether it can fetch single files by a list.
    let readsFileLists: Bool
    /// Whether it compares a zip with its SHA-256. Earlier plugins compare a CRC-32, and nothing if there is no checksum.
    let verifiesDigests: Bool
    /// Whether it accepts only bundles that are encrypted for its app.
    let wantsEncryption: Bool

    /// - Throws: ``Problem`` for texts that are too long.
    init(_ body: JSONObject) throws(Problem) {
        func text(_ key: String) throws(Problem) -> String? {
            try DeviceText.checked(body.looseText(key), key, kind: "invalid_\(key)")
        }
        let app = try text("version_build")
        var tags: [String: String] = [:]
        for key in ["custom_id", "is_emulator", "is_prod"] { tags[key] = try text(key) }
        facts = DeviceFacts(
            deviceID: try text("device_id") ?? "", appVersion: app.flatMap { try? AppVersion($0) },
            platform: try text("platform")?.lowercased(), tags: tags,
            osVersion: try text("version_os").flatMap { try? AppVersion($0) })
        channel = try text("defaultChannel")
        let running = try text("version_name")
        current = running == Self.builtin || running == app ? nil : running
        let plugin = try text("plugin_version").flatMap { try? AppVersion($0) }
        func isIn(_ ranges: [AppVersionRange]) -> Bool {
            plugin.map { version in ranges.contains { $0.contains(version) } } ?? false
        }
        readsFileLists = isIn(Self.listReaders)
        verifiesDigests = isIn(Self.digestVerifiers)
        wantsEncryption = try text("key_id") != nil
    }

    /// Lists of files came with these versions of the plugin, and with earlier ones (6.3.0 to 6.14.27, 7.0.2 to 7.0.37)
    /// that take every listed file for a Brotli one. 7.9.2 to 7.18.14 compare each one's MD5 with its SHA-256 (Android).
    private static let listReaders = ranges(
        ">=5.10.0 <6", ">=6.25.0 <7", ">=7.0.38 <7.9.2", ">=7.18.15 <8", ">=8")
    /// Before them a CRC-32 is compared; 7.0.2 to 7.0.29 compare nothing with it, and refuse (Android).
    private static let digestVerifiers = ranges(">=5.50.1 <6", ">=6.14.28 <7", ">=7.0.30")

    private static func ranges(_ texts: String...) -> [AppVersionRange] {
        texts.compactMap { try? AppVersionRange($0) }
    }
}
