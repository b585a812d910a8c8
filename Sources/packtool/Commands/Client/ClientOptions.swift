import ArgumentParser
import Foundation
import PackFormat
import PackTrust
import PackUpdater
import PackUpdaterOnline

/// The options of every verb of `packtool client`: the store, and the settings that an app would give its updater.
struct ClientOptions: ParsableArguments {
    static let defaultChannel = "stable"

    @Option(help: ArgumentHelp("The device's store.", valueName: "DIR"))
    var store: String

    @Option(
        help: ArgumentHelp(
            "The channel. (default of update: stable; of others: that of the store's last update)", valueName: "NAME"))
    var channel: String?

    @Option(help: ArgumentHelp("A package; may be given several times (default: all).", valueName: "ID"))
    var package: [String] = []

    @Option(
        help: ArgumentHelp("The device's id, which decides about shares (default: the store's own).", valueName: "ID"))
    var device: String?

    @Option(help: ArgumentHelp("The platform, such as ios.", valueName: "NAME"))
    var platform: String?

    @Option(
        help: ArgumentHelp(
            "The app's name in its registry; others are refused (default: the one that the store saw first).",
            valueName: "NAME"))
    var app: String?

    @Option(help: ArgumentHelp("The app's version.", valueName: "V"))
    var appVersion: String?

    @Option(help: ArgumentHelp("A tag of the device; may be given several times.", valueName: "K=V"))
    var tag: [String] = []

    @Option(help: ArgumentHelp("The app's root of trust, as an app embeds it. Needed once.", valueName: "FILE"))
    var root: String?

    @Option(help: ArgumentHelp("A folder that packtool preset wrote; may be given several times.", valueName: "DIR"))
    var preset: [String] = []

    @Option(help: ArgumentHelp("How many starts a version has to be confirmed.", valueName: "N"))
    var starts = 2

    @Option(help: ArgumentHelp("Seconds to wait for another updater on the same store.", valueName: "SECONDS"))
    var wait = 0

    @Option(help: ArgumentHelp("Seconds without a received byte after which a download fails.", valueName: "SECONDS"))
    var timeout = 30

    @Option(
        help: ArgumentHelp(
            "on: report the results of updates, now and later; facts: also platform, app and system version; off: stop, and delete unsent reports (default: unchanged).",
            valueName: "on|facts|off"))
    var reports: ReportSwitch?

    @OptionGroup var facts: DeviceOptions
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var global: GlobalOptions

    var packages: [PackageID] {
        get throws { try package.map { try PackageID($0) } }
    }

    func validate() throws {
        guard starts > 0 else { throw ValidationError("--starts must be 1 or more") }
        guard timeout > 0 else { throw ValidationError("--timeout must be 1 or more") }
        guard tag.allSatisfy({ $0.contains("=") }) else { throw ValidationError("--tag takes KEY=VALUE") }
    }

    /// Opens the store as an app would.
    /// - Parameters:
    ///   - ignoresLastUpdate: False: what is not given is as it was given to the last `client update` on the store.
    ///   - asksRegistry: False for what the device has itself, wherever the registry's files are.
    func updater(
        activation: UpdaterConfiguration.Activation = .atOnce, ignoresLastUpdate: Bool = false,
        asksRegistry: Bool = true
    ) throws -> Updater {
        let options = ignoresLastUpdate ? self : completed
        return try Updater(options.asGiven(activation: activation, base: base(asksRegistry: asksRegistry)))
    }

    /// What an app would tell its updater, with what the last `client update` was given.
    func configuration() throws -> UpdaterConfiguration { try completed.asGiven(activation: .atOnce, base: base()) }

    /// The options, with what the last `client update` on the store was given in place of what is not given: a start is of the same
    /// device, on the same channel.
    private var completed: ClientOptions { RememberedDevice(store: store).completing(self) }

    private func asGiven(
        activation: UpdaterConfiguration.Activation, base: URL
    ) throws -> UpdaterConfiguration {
        try registry.authorities.trust()
        var configuration = try UpdaterConfiguration(
            store: URL(fileURLWithPath: store), base: base, channel: ChannelName(channel ?? Self.defaultChannel),
            root: trustedRoot(base))
        configuration.deviceID = device
        configuration.platform = platform
        configuration.app = app
        configuration.appVersion = try appVersion.map { try AppVersion($0) }
        configuration.tags = DeviceOptions.tags(tag)
        try facts.set(&configuration)
        configuration.reports = try ReportSwitch.settings(reports, store: configuration.store)
        configuration.presets = preset.map { URL(fileURLWithPath: $0) }
        configuration.maximumUnconfirmedStarts = starts
        configuration.activation = activation
        configuration.patience = .seconds(wait)
        configuration.limits.stall = .seconds(timeout)
        configuration.limits.rateWindow = .seconds(2 * timeout)
        return configuration
    }

    /// Opens a store that must be there, for verbs that only look or change what is installed.
    /// - Parameter asksRegistry: False for what the device has itself, wherever the registry's files are.
    func existingUpdater(asksRegistry: Bool = true) throws -> Updater {
        try requireStore()
        return try updater(asksRegistry: asksRegistry)
    }

    func requireStore() throws {
        guard FileManager.default.fileExists(atPath: URL(fileURLWithPath: store).appending(path: "state.json").path)
        else {
            throw CommandFailure("there is no store at \(store): run packtool client update --store \(store) first")
        }
    }

    /// The packages given that the store knows; all that it knows where none is given.
    /// - Throws: for one that it does not know, with a list of those that it does.
    func knownPackages(of updater: Updater) async throws -> [PackageStatus] {
        let known = try await updater.status()
        let given = try packages
        if let unknown = given.first(where: { id in !known.contains { $0.package == id } }) {
            let names = known.map(\.package.text).joined(separator: ", ")
            throw CommandFailure(
                "\(store) has nothing of \(unknown) (it has: \(names.isEmpty ? "none yet" : names)): packtool client update "
                    + "--package \(unknown) installs it, where the channel offers it")
        }
        return given.isEmpty ? known : known.filter { given.contains($0.package) }
    }

    /// The package that a verb is about: the one given, or the only one that is installed.
    func onePackage(of updater: Updater) async throws -> PackageID {
        let given = try packages
        guard given.count <= 1 else {
            throw CommandFailure("this command is about one package, and \(given.count) are given")
        }
        if given.count == 1 { return try await knownPackages(of: updater)[0].package }
        let installed = try await updater.status().filter { $0.active != nil }.map(\.package)
        guard !installed.isEmpty || !given.isEmpty else {
            throw CommandFailure("nothing is installed in \(store): run packtool client update --store \(store)")
        }
        guard given.isEmpty, installed.count == 1 else {
            let names = installed.map(\.text).joined(separator: ", ")
            throw CommandFailure("say which package: --package ID (installed: \(names.isEmpty ? "none" : names))")
        }
        return installed[0]
    }

    /// The published view: a URL as it is; of a registry's folder its `view`.
    private func base(asksRegistry: Bool = true) throws -> URL {
        let location = try registry.location(of: CurrentProject())
        if let storage = location.storage, asksRegistry {
            throw CommandFailure(
                "the files of this registry are in \(storage), which a device reads over HTTP: start packtool serve and give "
                    + "its URL with --registry, or the URL under which the bucket can be read")
        }
        let folder: URL
        switch location {
        case .server(let url): return url
        case .folder(let place, _), .database(_, let place, _): folder = place.standardizedFileURL
        }
        let view = folder.appending(path: "view")
        return FileManager.default.fileExists(atPath: view.path) ? view : folder
    }

    /// What the device trusts from the start: `--root`; else what the store trusts already; else the project's own
    /// root in `.packtool/root.json`; else, of a registry that is a folder here, its first root, and that is said.
    private func trustedRoot(_ base: URL) throws -> [UInt8]? {
        if let root {
            guard let bytes = FileManager.default.contents(atPath: root) else {
                throw CommandFailure("the root file \(root) cannot be read")
            }
            do { _ = try SignedDocument<RootMetadata>(parsing: Array(bytes), name: "root") } catch {
                throw CommandFailure(
                    "\(root) is no root of trust (\(error)): packtool init writes it to .packtool/root.json, and an app embeds it"
                )
            }
            return Array(bytes)
        }
        let known = URL(fileURLWithPath: store).appending(path: "trust/root.json").path
        if FileManager.default.fileExists(atPath: known) { return nil }
        var candidates = [".packtool/root.json"]
        if base.isFileURL {
            candidates =
                [
                    base.deletingLastPathComponent().deletingLastPathComponent().appending(path: "root.json").path,
                    base.appending(path: "metadata/1.root.json").path,
                ] + candidates
        }
        for path in candidates {
            guard let bytes = FileManager.default.contents(atPath: path) else { continue }
            global.console.note("trusting \(path) on first use; an app embeds its root, here --root FILE gives it")
            return Array(bytes)
        }
        return nil
    }
}
