import Foundation
import Hummingbird
import HummingbirdHTTP2
import Logging
import PackArchive
import PackFormat
import PackWeb
import ServiceLifecycle

/// A browser with a profile of its own in which a package has the address that it has on a device, `https://PACKAGE.package/`.
///
/// Only this browser finds the address: the name leads to this machine by its own rule, and it trusts the certificate of this
/// preview by its key. No proxy is set and no certificate is installed. The rules are Chromium's `--host-resolver-rules` and
/// `--ignore-certificate-errors-spki-list`.
struct PreviewBrowser: Service {
    /// Names the program, where it is none of those that are looked for.
    static let variable = "PACKTOOL_BROWSER"

    let url: String
    private let host: String
    private let program: URL
    private let identity: PreviewIdentity
    private let console: Console
    private let ports: AsyncStream<Int>
    private let started: AsyncStream<Int>.Continuation

    /// - Throws: ``CommandFailure`` where this machine has no such browser.
    init(for package: PackageID, environment: [String: String], console: Console) throws {
        self.console = console
        host = SiteAddress.virtualHost(of: package)
        url = "https://\(host)/"
        program = try Self.program(environment)
        identity = try PreviewIdentity(host: host)
        (ports, started) = AsyncStream.makeStream()
    }

    /// The same pages by TLS, on a free port of this machine.
    func application(_ responder: PreviewResponder, logger: Logger) throws -> Application<PreviewResponder> {
        let started = started
        return Application(
            responder: responder, server: try .http2Upgrade(tlsConfiguration: identity.configuration),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                started.yield(channel.localAddress?.port ?? 0)
                started.finish()
            },
            logger: logger)
    }

    /// Opens the browser when the server is there, and closes it when the preview ends.
    func run() async throws {
        for await port in ports {
            let profile: WorkFolder
            do { profile = try WorkFolder() } catch {
                throw CommandFailure("no profile can be made for the browser: \(error)")
            }
            let log = profile.url.appending(path: "packtool-browser.log")
            let browser = Process()
            browser.executableURL = program
            browser.arguments = [
                "--user-data-dir=\(profile.url.path(percentEncoded: false))", "--no-first-run",
                "--no-default-browser-check", "--host-resolver-rules=MAP \(host) 127.0.0.1:\(port)",
                "--ignore-certificate-errors-spki-list=\(identity.fingerprint)", "--test-type", url,
            ]
            browser.standardOutput = FileHandle.nullDevice
            _ = FileManager.default.createFile(atPath: log.path(percentEncoded: false), contents: nil)
            browser.standardError = try FileHandle(forWritingTo: log)
            let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
            browser.terminationHandler = { ended.yield($0.terminationStatus) }
            do { try browser.run() } catch {
                throw CommandFailure("\(program.path) does not start: \(error.localizedDescription)")
            }
            await cancelWhenGracefulShutdown { for await status in ends { tell(status, log) } }
            await Self.end(browser)
            _ = consume profile
        }
    }

    /// Somebody closed it, or it could not begin.
    private func tell(_ status: Int32, _ log: URL) {
        let words = status == 0 ? "" : (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        for line in words.split(separator: "\n").suffix(3) { console.note("         \(line)") }
        console.note(
            "browser  \(program.lastPathComponent) ended with status \(status); the preview goes on without it")
    }

    private static func end(_ browser: Process) async {
        guard browser.isRunning else { return }
        browser.terminate()
        for _ in 0..<50 where browser.isRunning { try? await Task.sleep(for: .milliseconds(100)) }
        if browser.isRunning { kill(browser.processIdentifier, SIGKILL) }
        browser.waitUntilExit()
    }

    private static let names = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ]

    private static func program(_ environment: [String: String]) throws -> URL {
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let given = environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        for name in given.map({ [$0] }) ?? names {
            let places = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
            for place in places where FileManager.default.isExecutableFile(atPath: place) {
                return URL(filePath: place)
            }
        }
        throw CommandFailure(
            given.map { "\(variable) names \($0), which is no program here" }
                ?? "there is no Chromium, Chrome, Edge or Brave here to open: name one in \(variable), or leave out --browser"
        )
    }
}
