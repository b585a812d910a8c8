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
/// `--ignore-certificate-errors-spki-list`, which count in a profile of its own only.
struct PreviewBrowser: Service {
    /// Names the program, where it is none of those that are looked for.
    static let variable = "PACKTOOL_BROWSER"

    let url: String
    private let host: String
    private let program: URL
    private let fingerprint: String
    private let ports: AsyncStream<Int>
    private let started: AsyncStream<Int>.Continuation

    /// - Throws: ``CommandFailure`` where this machine has no such browser.
    init(for package: PackageID, _ identity: PreviewIdentity, environment: [String: String]) throws {
        host = Self.host(of: package)
        url = "https://\(host)/"
        program = try Self.program(environment)
        fingerprint = identity.fingerprint
        (ports, started) = AsyncStream.makeStream()
    }

    static func host(of package: PackageID) -> String { "\(package).\(SiteAddress.virtualSuffix)" }

    /// The same pages by TLS, on a free port of this machine.
    func application(
        _ responder: PreviewResponder, _ identity: PreviewIdentity, logger: Logger
    ) throws -> Application<PreviewResponder> {
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
            let profile = try WorkFolder()
            let browser = Process()
            browser.executableURL = program
            browser.arguments = [
                "--user-data-dir=\(profile.url.path(percentEncoded: false))", "--no-first-run",
                "--no-default-browser-check", "--host-resolver-rules=MAP \(host) 127.0.0.1:\(port)",
                "--ignore-certificate-errors-spki-list=\(fingerprint)", "--test-type", url,
            ]
            // What it says about graphics and accounts is nothing about the page.
            browser.standardOutput = FileHandle.nullDevice
            browser.standardError = FileHandle.nullDevice
            do { try browser.run() } catch {
                throw CommandFailure("\(program.path) does not start: \(error.localizedDescription)")
            }
            try? await gracefulShutdown()
            browser.terminate()
            browser.waitUntilExit()
            _ = consume profile
        }
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
