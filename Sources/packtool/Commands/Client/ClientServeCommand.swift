import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import PackFormat
import PackJSON
import PackUpdater

struct ClientServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the installed packages to a browser on this machine, as an app does to its web view.",
        discussion: """
            http://127.0.0.1:PORT/ID/… and http://ID.package.localhost:PORT/… are
            the pages of the package ID. A page gets every file from the version
            that it started with; each page that opens counts as a start, and
            POST /-/confirm?package=ID&version=V&token=T confirms it (the token
            is in the cookie packtool-load).
            """)

    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "PORT"))
    var port = 8789

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535") }
    }

    func run() async throws {
        let updater = try client.existingUpdater()
        try await updater.start()
        let site = ClientSite(updater: updater)
        var logger = Logger(label: "packtool")
        logger.logLevel = client.global.verbose ? .info : .warning
        let console = client.global.console
        let application = Application(
            responder: ClientSiteResponder(site: site),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                console.result(
                    "http://127.0.0.1:\(port)/",
                    json: .object(["url": .string("http://127.0.0.1:\(port)/")]))
            }, logger: logger)
        do {
            try await application.runService()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandFailure("port \(port) is in use on 127.0.0.1: choose another with --port")
        }
    }
}
