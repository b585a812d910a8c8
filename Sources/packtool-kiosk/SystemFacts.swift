import Foundation
import PackFormat
import PackUpdater

/// What the machine tells by itself of what rollouts may ask for. What it does not say is unknown.
struct SystemFacts: Sendable {
    /// `VERSION_ID` of os-release(5), such as `24.04`.
    let osVersion: AppVersion?
    /// BCP 47, from the environment, such as `de-AT`.
    let locale: String?
    /// ISO 3166-1, of the locale.
    let region: String?
    /// Of a device tree, else of the firmware's tables, such as `Raspberry Pi 4 Model B Rev 1.4`.
    let model: String?

    /// - Parameters:
    ///   - environment: the process's.
    ///   - read: the text of a file; nil if it cannot be read.
    init(environment: [String: String], read: (String) -> String?) {
        osVersion = (read("/etc/os-release") ?? read("/usr/lib/os-release")).flatMap(Self.osVersion)
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        let parts = names.first { !$0.isEmpty }.flatMap(Self.locale)
        locale = parts.map { [$0.language, $0.region].compactMap(\.self).joined(separator: "-") }
        region = parts?.region
        model =
            ["/proc/device-tree/model", "/sys/devices/virtual/dmi/id/product_name"]
            .compactMap { read($0).flatMap(Self.name) }.first
    }

    private static func osVersion(_ text: String) -> AppVersion? {
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("VERSION_ID=") }
        return line.flatMap { try? AppVersion($0.dropFirst("VERSION_ID=".count).filter { !"\"'".contains($0) }) }
    }

    /// `de_AT.UTF-8@euro` is German in Austria; `C` and `POSIX` are no language.
    private static func locale(_ text: String) -> (language: String, region: String?)? {
        let name = text.prefix { $0 != "." && $0 != "@" }
        let parts = name.split(separator: "_", maxSplits: 1)
        guard let language = parts.first, (2...3).contains(language.utf8.count), isLetters(language) else { return nil }
        let isRegion = parts.count == 2 && parts[1].utf8.count == 2 && isLetters(parts[1])
        let region = isRegion ? parts[1].uppercased() : nil
        return (language.lowercased(), region)
    }

    private static func isLetters(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    }

    /// Without what ends a text in such a file.
    private static func name(_ text: String) -> String? {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines.union(.controlCharacters))
        return name.isEmpty ? nil : name
    }
}
