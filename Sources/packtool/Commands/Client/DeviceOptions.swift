public import ArgumentParser
public import PackFormat
import PackUpdater

/// The facts about a device that rollouts may use, besides its platform, tags and app version.
struct DeviceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The operating system's version, such as 17.4.", valueName: "V"))
    var osVersion: String?

    @Option(help: ArgumentHelp("The language, such as de-AT.", valueName: "TAG"))
    var locale: String?

    @Option(help: ArgumentHelp("Where the device is, such as AT.", valueName: "CODE"))
    var region: String?

    @Option(help: ArgumentHelp("The device model, such as iPhone14,2.", valueName: "NAME"))
    var model: String?

    @Option(help: ArgumentHelp("unmetered or metered.", valueName: "KIND"))
    var network: NetworkKind?

    /// - Parameter tags: as `KEY=VALUE`.
    func facts(
        device: String, platform: String?, appVersion: String?, tags: [String]
    ) throws -> DeviceFacts {
        try DeviceFacts(
            deviceID: device, appVersion: appVersion.map { try AppVersion($0) }, platform: platform,
            tags: Self.tags(tags), osVersion: osVersion.map { try AppVersion($0) }, locale: locale, region: region,
            model: model, network: network)
    }

    static func tags(_ pairs: [String]) -> [String: String] {
        Dictionary(
            pairs.map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }, uniquingKeysWith: { $1 })
    }

    func set(_ configuration: inout UpdaterConfiguration) throws {
        configuration.osVersion = try osVersion.map { try AppVersion($0) }
        configuration.locale = locale
        configuration.region = region
        configuration.model = model
        configuration.network = { [network] in network }
    }
}

extension NetworkKind: ExpressibleByArgument {}
