public import ArgumentParser
import Foundation
public import PackFormat
import PackUpdater
import PackWebKitGTK

/// What rollouts may ask of this kiosk. What is not given, the machine tells, if it does.
struct FactOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The app's version, such as 3.2.0 or \"2024.3.1 (17)\". Without it, what requires one is not installed.",
            valueName: "V"))
    var appVersion: String?

    @Option(help: ArgumentHelp("A tag of this kiosk; may be given several times.", valueName: "K=V"))
    var tag: [String] = []

    @Option(
        help: ArgumentHelp("The system's version (default: VERSION_ID of /etc/os-release).", valueName: "V"))
    var osVersion: String?

    @Option(
        help: ArgumentHelp("The language, such as de-AT (default: of LC_ALL, LC_MESSAGES or LANG).", valueName: "TAG"))
    var locale: String?

    @Option(help: ArgumentHelp("Where the kiosk is, such as AT (default: of its locale).", valueName: "CODE"))
    var region: String?

    @Option(help: ArgumentHelp("The device model (default: what the firmware says).", valueName: "NAME"))
    var model: String?

    @Option(
        help: ArgumentHelp(
            "unmetered or metered (default: what NetworkManager or the desktop portal says at each check).",
            valueName: "KIND"))
    var network: NetworkKind?

    func validate() throws {
        guard tag.allSatisfy({ $0.contains("=") }) else { throw ValidationError("--tag takes KEY=VALUE") }
    }

    func set(_ configuration: inout UpdaterConfiguration, _ system: SystemFacts) throws {
        configuration.platform = "linux"
        configuration.appVersion = try appVersion.map { try AppVersion($0) }
        configuration.tags = Dictionary(
            tag.map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), String(parts[1]))
            }, uniquingKeysWith: { $1 })
        configuration.osVersion = try osVersion.map { try AppVersion($0) } ?? system.osVersion
        configuration.locale = locale ?? system.locale
        configuration.region = region ?? system.region
        configuration.model = model ?? system.model
        configuration.network = { [network] in
            network ?? NetworkMonitor.isMetered.map { $0 ? .metered : .unmetered }
        }
    }
}

extension NetworkKind: ExpressibleByArgument {}
