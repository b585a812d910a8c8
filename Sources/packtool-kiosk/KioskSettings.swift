import ArgumentParser
import Foundation
import PackAuthorities
import PackFormat
import PackHost
import PackUpdater
import PackUpdaterOnline
import PackWeb
import PackWebOnline
import PackWebKitGTK

/// The settings of the command line, parsed and checked.
struct KioskSettings: Sendable {
    let host: PackHostConfiguration
    let package: PackageID
    let path: String
    let usesProxy: Bool
    let scheme: String
    let hook: PageHook.Strategy
    let cookies: KioskCommand.Cookies
    let allowsMixedContent: Bool
    let windows: KioskCommand.Windows
    let windowHosts: Set<String>
    let downloads: DownloadFolder?
    let waitsForPage: Bool
    let readyTimeout: Duration
    /// nil: only at the start.
    let schedule: UpdateSchedule?
    let showsUpdates: Bool
    let takesCommands: Bool
    let dataFolder: URL?
    let startScripts: [String]
    let certificates: [String: String]
    let size: (width: Int, height: Int)
    let isFullscreen: Bool
    let isOffscreen: Bool
    let usesHardware: Bool
    let showsDeveloperTools: Bool

    init(_ command: KioskCommand) throws {
        try PrivateAuthorities.trust(command.ca, environment: ProcessInfo.processInfo.environment)
        var updater = try Self.updaterConfiguration(command)
        package = try PackageID(command.package)
        path = command.path.hasPrefix("/") ? command.path : "/" + command.path
        usesProxy = command.transport == .proxy
        scheme = command.scheme.lowercased()
        hook = try Self.strategy(command)
        let rules = try command.rules.map { try WebRules(parsing: Data(try Self.text($0).utf8)) } ?? WebRules()
        let loopbackServices = try Set(command.loopback.map(Self.service))
        cookies = command.cookies
        allowsMixedContent = command.mixedContent
        windows = command.windows
        windowHosts = try Set(command.windowHost.map(Self.host))
        downloads = try Self.downloads(command)
        waitsForPage = command.ready == .page
        guard command.readyTimeout > 0 else { throw ValidationError("--ready-timeout must be 1 or more") }
        readyTimeout = .seconds(command.readyTimeout)
        updater.readyDeadline = readyTimeout
        var host = PackHostConfiguration(updater: updater, schemes: [scheme])
        (host.rules, host.loopbackServices) = (rules, loopbackServices)
        self.host = host
        schedule = try Self.schedule(command.updateInterval)
        showsUpdates = command.reload
        takesCommands = command.control
        dataFolder = command.data.map { URL(fileURLWithPath: $0) }
        startScripts = try command.script.map(Self.text)
        certificates = try Dictionary(
            command.certificate.map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { throw ValidationError("--certificate takes HOST=FILE") }
                return (String(parts[0]), try Self.text(String(parts[1])))
            }, uniquingKeysWith: { $1 })
        let sides = command.size.split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2, sides.allSatisfy({ (1...16_384).contains($0) }) else {
            throw ValidationError("--size takes WIDTHxHEIGHT in pixels")
        }
        size = (sides[0], sides[1])
        isFullscreen = command.fullscreen
        isOffscreen = command.offscreen
        usesHardware = !command.software && !command.offscreen
        showsDeveloperTools = command.inspector
    }

    /// What the view is made of, but for the way to the device.
    /// - Parameter folder: where the view keeps its data.
    @MainActor
    func view(_ transport: PackageViewConfiguration.Transport, in folder: URL) -> PackageViewConfiguration {
        var configuration = PackageViewConfiguration(transport)
        configuration.dataFolder = folder
        configuration.cookiePolicy =
            switch cookies {
            case .all: .all
            case .first: .firstPartyOnly
            case .none: .none
            }
        configuration.downloads = downloads
        configuration.startScripts = startScripts
        configuration.acceptedCertificates = certificates
        configuration.size = size
        configuration.isFullscreen = isFullscreen
        configuration.isOffscreen = isOffscreen
        configuration.usesHardware = usesHardware
        configuration.showsDeveloperTools = showsDeveloperTools
        return configuration
    }

    func services() throws -> PageServices.Configuration {
        var configuration = PageServices.Configuration(usesProxy ? .proxy : .scheme(scheme))
        configuration.hook = hook
        // Of this kiosk only: other programs of the user have theirs.
        configuration.cookies = try cookieStore()
        configuration.allowsMixedContent = allowsMixedContent
        return configuration
    }

    /// The app's own jar: beside the view's where one is kept on disk.
    private func cookieStore() throws -> any NativeCookieStore {
        guard let dataFolder else { return MemoryCookieStore() }
        try FileManager.default.createDirectory(
            at: dataFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return FileCookieStore(dataFolder.appending(path: "app-cookies.json"))
    }

    private static func service(_ text: String) throws -> String {
        guard let url = URL(string: "http://\(text)/"), let host = url.host(), let port = url.port,
            text.lowercased().hasSuffix(":\(port)"), LoopbackName.isOne(host)
        else { throw ValidationError("--loopback takes HOST:PORT of this device, such as 127.0.0.1:9100") }
        return text.lowercased()
    }

    private static func host(_ text: String) throws -> String {
        guard let host = URL(string: "https://\(text)/")?.host(), host.lowercased() == text.lowercased() else {
            throw ValidationError("--window-host takes a host's name, such as pay.example.com")
        }
        return host.lowercased()
    }

    private static func downloads(_ command: KioskCommand) throws -> DownloadFolder? {
        guard (1...(1 << 30)).contains(command.downloadLimit) else {
            throw ValidationError("--download-limit must be 1 or more")
        }
        guard let folder = command.downloads else { return nil }
        return try DownloadFolder(URL(fileURLWithPath: folder), limit: command.downloadLimit << 20)
    }

    private static func strategy(_ command: KioskCommand) throws -> PageHook.Strategy {
        switch (command.hook, command.transport) {
        case (.bodies, .proxy): throw ValidationError("--hook bodies is for the scheme: the proxy loses no body")
        case (.off, _), (nil, .proxy): .off
        case (.bodies, .scheme), (nil, .scheme): .bodies
        case (.full, _): .full
        }
    }

    private static func schedule(_ interval: Int?) throws -> UpdateSchedule? {
        guard let interval else { return UpdateSchedule(interval: .seconds(300)) }
        guard interval >= 0 else { throw ValidationError("--update-interval must be 0 or more") }
        return interval == 0
            ? nil : UpdateSchedule(interval: .seconds(interval), jitter: 0, obeysChannel: false)
    }

    private static func updaterConfiguration(_ command: KioskCommand) throws -> UpdaterConfiguration {
        let place = command.registry ?? command.store
        let base: URL
        if place.hasPrefix("http://") || place.hasPrefix("https://") {
            guard let url = URL(string: place) else { throw ValidationError("\"\(place)\" is not a URL") }
            base = url
        } else {
            let folder = URL(fileURLWithPath: place)
            let view = folder.appending(path: "view")
            base = FileManager.default.fileExists(atPath: view.path) ? view : folder
        }
        var root: [UInt8]?
        if let file = command.root { root = Array(try text(file).utf8) }
        var configuration = UpdaterConfiguration(
            store: URL(fileURLWithPath: command.store), base: base, channel: try ChannelName(command.channel),
            root: root)
        configuration.presets = command.preset.map { URL(fileURLWithPath: $0) }
        try command.facts.set(
            &configuration,
            SystemFacts(environment: ProcessInfo.processInfo.environment) { path in
                FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
            })
        configuration.reports =
            command.reports || command.reportFacts ? ReportSettings(includesFacts: command.reportFacts) : nil
        configuration.activation = .atOnce
        configuration.patience = .seconds(60)
        return configuration
    }

    private static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw KioskFailure("the file \(path) cannot be read")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
