import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import PackFormat
import PackHost
import PackJSON
import PackUpdater
import PackWeb
import PackWebOnline

struct ClientServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the installed packages to a browser on this machine, as an app does to its web view.",
        discussion: HelpText.flowing(
            """
            http://ID.package.localhost:PORT/ is the page of the package ID, as a device
            shows it; http://127.0.0.1:PORT/ID/ is for programs, and for sites that use
            relative paths only. A page gets every file from the version
            that it started with, and packtool.confirm() in the page confirms it.
            The first page of a version that is not confirmed counts as a start;
            pages and reloads after it belong to the same start. For the next
            start, stop this command and run it again, as an app is closed and
            opened. Programs without a browser use
            POST /-/confirm?package=ID&version=V&token=T; the token is in the
            cookie packtool-load.
            """))

    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("The port; 0 chooses a free one.", valueName: "PORT"))
    var port = 8789

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535") }
    }

    @Option(
        help: """
            The page hook: off gives pages packtool.confirm(), full also performs their requests, as an app does, \
            so that client explain --last-page has them.
            """)
    var hook: HookOption = .off

    @Flag(help: "Send pages byte for byte, without the hook's script element.")
    var noHook = false

    func run() async throws {
        // A device that has nothing yet, with what it needs to begin: packages install themselves as they are opened.
        if client.root == nil { try client.requireStore() }
        let host = try PackHost(PackHostConfiguration(updater: client.configuration()))
        try await host.start()
        let report = ClientPageReport(store: URL(fileURLWithPath: client.store))
        var logger = Logger(label: "packtool")
        logger.logLevel = client.global.verbose ? .info : .warning
        let console = client.global.console
        let installed = try await host.updater.status().filter { $0.active != nil }
        let application = Application(
            responder: ClientSiteResponder(
                host: host, pages: BrowserPages(host), hook: noHook ? nil : (hook, bridge(host, report)),
                report: report),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                let address = { (package: PackageID) in "http://\(package).package.localhost:\(port)/" }
                let lines = installed.map { "\(address($0.package))  \($0.package) \($0.active?.description ?? "")" }
                console.result(
                    (["http://127.0.0.1:\(port)/"] + lines).joined(separator: "\n"),
                    json: .object([
                        "url": .string("http://127.0.0.1:\(port)/"),
                        "packages": .object(
                            JSONObject(installed.map { ($0.package.text, .string(address($0.package))) })),
                    ]))
            }, logger: logger)
        do {
            try await application.runService()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandFailure("port \(port) is in use on 127.0.0.1: choose another with --port")
        }
        report.write()
        await host.endSession()
        await host.updater.sendReports()
    }

    private func bridge(_ host: PackHost, _ report: ClientPageReport) -> PageBridge {
        var configuration = PageBridge.Configuration()
        // A browser has six connections to a server: a question that waits must not hold one for long.
        configuration.patience = .seconds(1)
        configuration.confirm = { _, package, version, token in
            try await host.confirm(PageHook.Load(package: package, version: version, token: token))
        }
        let none = PageDirectory(NoPackages())
        return PageBridge(
            pages: { request in (report.pages ?? none).page(for: request) }, online: NetworkLoader(),
            configuration: configuration)
    }

    /// Before the first page: a message then belongs to none.
    private struct NoPackages: SiteCatalog {
        var settings: WebSettings { WebSettings() }
        func content(of package: PackageID) -> (any SiteContent)? { nil }
    }
}
