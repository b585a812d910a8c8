import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import PackBuilder
import PackFormat
import PackJSON
import PackWeb
import ServiceLifecycle
import UnixSignals

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `packtool preview DIST`: serves a web build as a device would that has it installed.
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Serve a web build as a device would, and reload pages when it changes.",
        discussion: HelpText.flowing(
            """
            Paths, media types, ranges, the headers of packtool.json and what is left out are those of the installed \
            package. What a device would not have is printed.
            """))

    @Argument(
        help: ArgumentHelp("The folder that the web build writes (else dist of packtool.json).", valueName: "DIST"),
        completion: .directory)
    var dist: String?

    @Option(name: .customLong("package"), help: ArgumentHelp("The package id.", valueName: "ID"))
    var package: PackageID?

    @Option(help: ArgumentHelp("Where the web build expects to be mounted, such as /static-files/.", valueName: "PATH"))
    var base: String?

    @Option(
        help: ArgumentHelp(
            """
            A path that a server answers, such as /api=http://localhost:3000; may be given several times. A URL \
            without a path gets the whole path of the request, one with a path gets it in the prefix's place.
            """, valueName: "PATH=URL"))
    var proxy: [String] = []

    @Option(help: ArgumentHelp("The port; 0 chooses a free one.", valueName: "PORT"))
    var port = 8788

    @Flag(
        help:
            "Send pages byte for byte, without the script that reloads them and, unless --hook is given, without the page hook."
    )
    var noReload = false

    @Flag(
        help: """
            Show on each page where its requests were answered, with switches for a slow network and none, which touch what \
            the preview forwards to servers and what --hook full has it perform. The page gets one script more.
            """)
    var overlay = false

    @Flag(
        help: """
            Let phones in your network open it: prints an address with a token, as a QR code too. It is plain HTTP: whoever \
            is in the network can read along.
            """)
    var phone = false

    @Flag(
        help: """
            Open it in a browser (Chromium, Chrome, Edge, Brave) with a profile of its own, in which the package has the address \
            that it has on a device: https://PACKAGE.package/. PACKTOOL_BROWSER names another program.
            """)
    var browser = false

    @Option(
        help: """
            The page hook, which gives pages packtool.confirm(): off lets the browser send requests, full has the \
            preview perform those of scripts, as an app does, and prints those that go online. With --no-reload there is none unless given \
            (default: off).
            """)
    var hook: HookOption?

    @OptionGroup var authorities: AuthorityOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try authorities.trust()
        guard (0...65535).contains(port) else { throw ValidationError("the port must be from 0 to 65535") }
        let console = global.console
        let folder = try dist.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? CurrentProject.dist()
        let routes = try proxy.map { try PreviewProxy.Route($0) }
        let site = PreviewSite(try DistPreview(folder, package: package, base: base.map { try BaseSetting($0) }))
        let manifest = site.manifest
        var logger = Logger(label: "packtool.preview")
        logger.logLevel = global.verbose ? .debug : .error
        let pages = PageDirectory(site)
        let (log, network) = (overlay ? PreviewLog() : nil, PreviewNetwork())
        let guests = phone ? try PreviewGuests() : nil
        let opened =
            try browser
            ? PreviewBrowser(for: manifest.package, environment: ProcessInfo.processInfo.environment, console: console)
            : nil
        let address = PreviewAddress(manifest.package, networkHost: guests?.host)
        let bridge = PreviewBridge(address, console: console, log: log, network: network)
        let hook = self.hook ?? (noReload ? nil : HookOption.off)
        let responder = PreviewResponder(
            site: site, pages: pages, reloads: !noReload, hook: hook.map { ($0, bridge) },
            proxy: PreviewProxy(routes), log: log, network: network, guests: guests, console: console)
        if let base = site.guessedBase {
            console.note("base     \(base), guessed from the entry page; say \"base\" in packtool.json, or --base")
        }
        for (prefix, target) in manifest.api.targets.sorted(by: { $0.key < $1.key })
        where LoopbackName.isOne(URL(string: target)?.host() ?? "") {
            console.note(
                "api      \(prefix) leads to this machine: a device answers 403 unless its app allows it. For the preview alone there is --proxy"
            )
        }
        let application = Application(
            responder: responder,
            configuration: ApplicationConfiguration(address: .hostname(phone ? "0.0.0.0" : "127.0.0.1", port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                address.port = port
                let url = "http://localhost:\(port)/"
                let invitation = guests?.url(port: port)
                var json: JSONObject = [
                    "url": .string(url), "package": .string(manifest.package.text),
                    "files": .integer(manifest.files.count),
                ]
                json["phone"] = invitation.map { .string($0) }
                json["browser"] = opened.map { .string($0.url) }
                let code = invitation.map { "\non a phone: \($0)\n\(QRCode($0)?.text ?? "")" } ?? ""
                console.result(
                    "\(manifest.package): \(CountText.text(manifest.files.count, "file")) at \(url)"
                        + (opened.map { "\nin a browser of its own: \($0.url)" } ?? "") + code,
                    json: .object(json))
                // Whoever waits for the address reads it through a pipe or a file.
                fflush(nil)
                if manifest.wantsServiceWorker {
                    console.note(
                        "A service worker stays for whatever is shown at localhost:\(port) later. An origin of its own has "
                            + "http://\(manifest.package).package.localhost:\(port)/")
                }
            },
            logger: logger)
        var services: [any Service] = [application]
        if let opened {
            services += [try opened.application(responder, logger: logger), opened]
        }
        do {
            try await ServiceGroup(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: logger
            ).run()
        } catch let failure as CommandFailure { throw failure } catch let error as IOError
            where error.errnoCode == EADDRINUSE
        {
            throw CommandFailure("port \(port) is in use: choose another with --port")
        } catch {
            throw CommandFailure("the preview cannot listen on port \(port): \(error); choose another with --port")
        }
    }
}
