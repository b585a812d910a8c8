import ArgumentParser
import CBuildStamp
import Dispatch
import Foundation
import PackArchive
import PackAuthorities
import PackFormat
import PackHost
import PackUpdater
import PackWeb
import PackWebKitGTK

/// `packtool-kiosk`: shows an installed package in a window and keeps it up to date.
@main
struct KioskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "packtool-kiosk",
        abstract: "Show an installed package in a window, and keep it up to date.",
        discussion: """
            The store is the one of packtool client. A version that is new is shown,
            and confirmed when its page is ready; one that is not ready in time is
            left for the version before.

            Exit codes: 0 the window was closed, 1 failed, 64 usage.
            """,
        version: ProductVersion.stamp(
            commit: String(cString: packtool_build_commit()), date: String(cString: packtool_build_date())))

    enum Transport: String, ExpressibleByArgument, CaseIterable {
        case proxy, scheme
    }

    enum Hook: String, ExpressibleByArgument, CaseIterable {
        case off, bodies, full
    }

    enum Cookies: String, ExpressibleByArgument, CaseIterable {
        case all, first, none
    }

    enum Windows: String, ExpressibleByArgument, CaseIterable {
        case none, own, all
    }

    enum Ready: String, ExpressibleByArgument, CaseIterable {
        case load, page
    }

    @Option(help: ArgumentHelp("The device's store.", valueName: "DIR"))
    var store: String

    @Option(help: ArgumentHelp("The package to show.", valueName: "ID"))
    var package: String

    @Option(help: ArgumentHelp("Where updates come from: a URL or a registry's folder.", valueName: "DIR|URL"))
    var registry: String?

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel = "stable"

    @Option(help: ArgumentHelp("The app's root of trust. Needed once.", valueName: "FILE"))
    var root: String?

    @Option(help: ArgumentHelp("A folder that packtool preset wrote; may be given several times.", valueName: "DIR"))
    var preset: [String] = []

    @Option(help: ArgumentHelp("The page to open, with query and fragment.", valueName: "PATH"))
    var path = "/"

    @Option(help: "How pages reach the device: by https and a loopback proxy, or by a custom scheme.")
    var transport = Transport.proxy

    @Option(help: ArgumentHelp("The custom scheme's name.", valueName: "NAME"))
    var scheme = "h5pack"

    @Option(
        help: """
            The page hook: bodies hands over what a custom scheme loses (its default), full lets the app perform the \
            page's requests, off gives pages packtool.confirm() only (the proxy's default).
            """)
    var hook: Hook?

    @Option(
        help: ArgumentHelp(
            "Exceptions by host, path, type and size: what goes online, what is denied (JSON).", valueName: "FILE"))
    var rules: String?

    @Option(
        help: ArgumentHelp(
            "A service on this device that a package's signed api may lead to; may be given several times.",
            valueName: "HOST:PORT"))
    var loopback: [String] = []

    @Option(help: "The cookies that the view takes: all, those of the page's own site only, or none.")
    var cookies = Cookies.first

    @Flag(help: "Let full hand-over load plain http for a page of https. Other engines block it.")
    var mixedContent = false

    @Option(
        help: """
            What a link with a target or window.open() may open, in the page's place as there is one window: none, own \
            (addresses of packages), or all. The rest is refused, with an event.
            """)
    var windows = Windows.own

    @Option(
        help: ArgumentHelp(
            "Another host that a new window may lead to; may be given several times.", valueName: "HOST"))
    var windowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keep downloads in this folder. Without it they are refused, with an event.", valueName: "FOLDER"))
    var downloads: String?

    @Option(help: ArgumentHelp("What the folder for downloads may hold, all files together.", valueName: "MIB"))
    var downloadLimit = 256

    @Option(
        help: """
            When a version works: its page has loaded, or the page itself says so with
            packtool.confirm() or webkit.messageHandlers.packtool.postMessage({ready: true}).
            Take page where nobody watches.
            """)
    var ready = Ready.load

    @Option(help: ArgumentHelp("The time that a page has to become ready.", valueName: "SECONDS"))
    var readyTimeout = 30

    @Option(
        help: ArgumentHelp(
            "Look for updates so often; 0: only at the start (default: as the channel says, else 300).",
            valueName: "SECONDS"))
    var updateInterval: Int?

    @OptionGroup(title: "What rollouts may ask for") var facts: FactOptions

    @Flag(help: "Report to the registry what becomes of updates, and how pages were served (docs/REPORTS.md).")
    var reports = false

    @Flag(help: "As --reports, and say the platform, the app's version and the system's version too.")
    var reportFacts = false

    @Flag(help: "Show a new version as soon as it is installed. Else the next page gets it.")
    var reload = false

    @Option(
        help: ArgumentHelp("Where the view keeps cookies and storage. Else they end with the kiosk.", valueName: "DIR"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "A script that runs before each page's own; may be given several times.", valueName: "FILE"))
    var script: [String] = []

    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities of this file (PEM) besides the system's (else PACKTOOL_CA).",
            valueName: "FILE"))
    var ca: String?

    @Option(
        help: ArgumentHelp(
            "Accept this certificate (PEM) from a host; may be given several times.", valueName: "HOST=FILE"))
    var certificate: [String] = []

    @Option(help: ArgumentHelp("The window's size.", valueName: "WxH"))
    var size = "1280x800"

    @Flag(help: "Fill the screen.")
    var fullscreen = false

    @Flag(help: "Draw into memory, for tests under a virtual display.")
    var offscreen = false

    @Flag(help: "Draw without the graphics card.")
    var software = false

    @Flag(help: "Allow the web inspector, and print what pages log.")
    var inspector = false

    @Flag(help: "Take commands as JSON lines on stdin and print events on stdout.")
    var control = false

    func run() throws {
        let settings = try KioskSettings(self)
        guard MainActor.assumeIsolated({ MainLoop.start() }) else {
            throw KioskFailure("there is no display: set DISPLAY or WAYLAND_DISPLAY")
        }
        if let folder = settings.dataFolder { return try show(settings, keepingDataIn: folder) }
        // WebKitGTK 2.50 cannot remove service workers of a view that keeps its data in memory.
        let work = try WorkFolder()
        try show(settings, keepingDataIn: work.url.appending(path: "view"))
    }

    /// Returns when the window was closed.
    private func show(_ settings: KioskSettings, keepingDataIn viewFolder: URL) throws {
        let outcome = KioskOutcome()
        defer { MainActor.assumeIsolated { outcome.kiosk?.view.close() } }
        Task { @MainActor in
            do {
                let kiosk = try await Kiosk(settings, viewFolder: viewFolder)
                outcome.kiosk = kiosk
                try await kiosk.start()
            } catch {
                outcome.failure = error
                MainLoop.quit()
            }
        }
        MainActor.assumeIsolated { MainLoop.run() }
        if let host = MainActor.assumeIsolated({ outcome.kiosk?.host }) { Self.endSession(of: host) }
        if let failure = MainActor.assumeIsolated({ outcome.failure }) { throw failure }
    }

    /// The main loop is over, so this thread waits, and not for long.
    private static func endSession(of host: PackHost) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await host.endSession()
            done.signal()
        }
        _ = done.wait(timeout: .now() + 2)
    }

    static func main() {
        FreeMemory.keepLittle()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as any KioskFault {
            FileHandle.standardError.write(Data("error: \(failure)\n".utf8))
            Foundation.exit(1)
        } catch {
            exit(withError: error)
        }
    }
}

@MainActor
private final class KioskOutcome {
    var kiosk: Kiosk?
    var failure: (any Error)?

    nonisolated init() {}
}

/// A failure with its own message, which is not wrong usage.
protocol KioskFault: Error {}

struct KioskFailure: KioskFault, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension UpdateError: KioskFault {}
extension WebError: KioskFault {}
extension FormatError: KioskFault {}
extension AuthorityError: KioskFault {}
extension DownloadError: KioskFault {}
