import ArgumentParser
import Foundation
import Logging
import PackAuthorities
import PackFormat
import PackJSON
import PackRegistry
import PackRegistryLocal
import PackRegistryServer
import ServiceLifecycle
import UnixSignals

/// `packtool serve`: serves a registry over HTTP.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a registry over HTTP: to devices, to publishers, and its sites to browsers.",
        discussion: HelpText.flowing(
            """
            Devices read the published view, and publishers write with access tokens (packtool token create).
            On SIGTERM and SIGINT the server finishes its running requests and ends. Each request is one line
            on stderr.

            With --tls-certificate and --tls-key the server speaks HTTPS, with HTTP/2 and HTTP/1.1. Otherwise it
            speaks plain HTTP: put a TLS proxy in front of it, unless it listens on the loopback address only.
            """))

    enum OnOff: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "HOST"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port to listen on; 0 chooses a free one.", valueName: "PORT"))
    var port = 8787

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp("What absolute URLs in answers start with.", valueName: "URL"))
    var publicURL: String?

    @Option(
        name: .customLong("tls-certificate"),
        help: ArgumentHelp("The server's certificate chain (PEM).", valueName: "FILE"))
    var tlsCertificate: String?

    @Option(
        name: .customLong("tls-key"), help: ArgumentHelp("The certificate's private key (PEM).", valueName: "FILE"))
    var tlsKey: String?

    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp(
            """
            A proxy, or a block such as 10.0.0.0/24, that is trusted to name the client; may be given several times. \
            Limits for each client depend on it.
            """, valueName: "ADDRESS"))
    var trustedProxies: [String] = []

    @Option(
        name: .customLong("proxy-header"),
        help: ArgumentHelp(
            "The header in which the proxy names the client: X-Forwarded-For or Forwarded. The proxy must set or extend it.",
            valueName: "NAME"))
    var proxyHeader = "X-Forwarded-For"

    @Option(
        name: .customLong("max-connections-per-address"),
        help: ArgumentHelp("How many connections one address may have.", valueName: "N"))
    var maximumConnectionsPerAddress = ServerLimits().maximumConnectionsPerAddress

    @Option(help: ArgumentHelp("Whether devices may send reports.", valueName: "on|off"))
    var reports = OnOff.on

    @Option(
        name: .customLong("report-days"),
        help: ArgumentHelp("How many days the events of devices are kept; counts are kept 400 days.", valueName: "DAYS")
    )
    var reportDays = ReportRetention().days

    @Option(
        name: .customLong("max-reports-per-network"),
        help: ArgumentHelp(
            "How many events one network (an IPv4 /24, an IPv6 /48) may send in an hour; 0: no limit.",
            valueName: "N"))
    var maximumReportsPerNetwork = ReportCaps.Limits().perNetwork

    @Option(
        name: .customLong("cache-size"),
        help: ArgumentHelp(
            "How many gigabytes of copies of a bucket's files are kept in the registry's folder.", valueName: "GB"))
    var cacheSize = 16

    @Flag(
        name: .customLong("redirect-reads"),
        help: "Send devices to the bucket for patches, packages and objects, by URLs that are valid for 15 minutes.")
    var redirectReads = false

    @Flag(
        name: .customLong("internal-webhooks"),
        help: "Send webhooks also to addresses of this machine and its networks, and over plain HTTP.")
    var internalWebhooks = false

    @Flag(
        name: .customLong("internal-issuers"),
        help: "Ask trusted issuers of id tokens for their keys also at addresses of this machine and its networks.")
    var internalIssuers = false

    @Flag(name: .customLong("no-dashboard"), help: "Serve no pages for people at /.")
    var noDashboard = false

    @Option(
        name: .customLong("adapter"),
        help: ArgumentHelp(
            "Answer clients of another system as well: chcp is Cordova Hot Code Push, ionic is Appflow, offline is older "
                + "plugins that read /offline/manifest.json. May be given several times (docs/ADAPTERS.md).",
            valueName: "SYSTEM"))
    var adapters: [AdapterKind] = []

    @Option(
        name: .customLong("adapter-channel"),
        help: ArgumentHelp("The channel of clients of other systems that name none.", valueName: "CHANNEL"))
    var adapterChannel = "stable"

    @Option(
        name: .customLong("codepush-keys"),
        help: ArgumentHelp(
            "What the deployment keys of apps stand for: JSON such as {\"KEY\": \"PACKAGE/CHANNEL/FOLDER\"}.",
            valueName: "FILE"))
    var codePushKeys: String?

    @Flag(
        name: .customLong("open-metrics"),
        help: "Let anybody read /metrics; else a token that may observe is needed.")
    var openMetrics = false

    @Flag(name: .customLong("json-logs"), help: "Write each log message as one line of JSON.")
    var jsonLogs = false

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535") }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key need each other: give both or none")
        }
        guard (ReportRetention.leastDays...3650).contains(reportDays) else {
            throw ValidationError("--report-days must be a number from \(ReportRetention.leastDays) to 3650")
        }
        guard maximumReportsPerNetwork >= 0 else {
            throw ValidationError("--max-reports-per-network must be a number from 0")
        }
        guard (1...1_000_000).contains(cacheSize) else {
            throw ValidationError("--cache-size must be a number from 1 to 1000000")
        }
        guard maximumConnectionsPerAddress > 0 else {
            throw ValidationError("--max-connections-per-address must be a number above 0")
        }
    }

    /// Before the server answers: a file of an earlier version takes its time.
    private func prepareReports(_ local: LocalRegistry, of location: RegistryLocation) async throws {
        guard reports == .on else { return }
        let task = Task {
            guard case .folder = location else { return }
            try await Task.sleep(for: .seconds(2))
            note(
                "reports.sqlite is moved to the form of this version: about a minute for each 20 million events")
        }
        defer { task.cancel() }
        try await local.prepareReports()
    }

    /// Whoever collects log messages as JSON gets what stops the server so, too.
    func run() async throws {
        guard jsonLogs else { return try await serve() }
        do { try await serve() } catch {
            let failure = LoggedFailure(error)
            logger.critical("\(failure.message)")
            throw failure
        }
    }

    private func note(_ text: String) {
        guard jsonLogs else { return options.console.note(text) }
        logger.log(level: text.hasPrefix("warning: ") ? .warning : .notice, "\(text.trimmingPrefix("warning: "))")
    }

    private func serve() async throws {
        FreedMemory.keepLittle()
        try registry.authorities.trust()
        let location = try registry.location(of: CurrentProject())
        if case .server(let url) = location {
            throw CommandFailure("\(url) is a server already: give a registry's folder or database with --registry")
        }
        try await ListeningAddress(host: host, port: port).check()
        let copies = cacheSize * 1_000_000_000
        guard let local = try await RegistryPlace(location)?.open(isServer: true, copyByteCount: copies) else { return }
        guard !redirectReads || local.hasStorage else {
            throw CommandFailure(
                "--redirect-reads needs a registry whose files are in a bucket; those of \(location) are in its folder")
        }
        if let text = local.migration { note(text) }
        if local.isBehind { note("warning: \(ViewWriter.behind)") }
        if let fault = local.onlineKeyFault {
            note(
                "warning: \(fault). Until then nothing is signed anew: devices refuse the registry when its timestamp expires, and what "
                    + "is published is not shown")
        }
        try await prepareReports(local, of: location)
        let logger = logger
        let limits = try limits()
        var retention = ReportRetention()
        retention.days = reportDays
        var services: [any Service] = [
            try await MaintenanceService(local, logger: logger), ShutdownDeadline(limits, logger: logger),
            WebhookService(
                local.webhookQueue, allowsInternal: internalWebhooks, authorities: PrivateAuthorities.text,
                logger: logger),
        ]
        if reports == .on, let store = local.reports {
            services.append(ReportRetentionService(store, retention, logger: logger))
        }
        var configuration = RegistryServer.Configuration(
            host: host, port: port, publicURL: try checkedPublicURL(), tls: tls, limits: limits)
        configuration.hasOpenMetrics = openMetrics
        configuration.hasDashboard = !noDashboard
        configuration.redirectsReads = redirectReads
        configuration.allowsInternalIssuers = internalIssuers
        configuration.authorities = PrivateAuthorities.text
        configuration.adapters = try adapterSettings()
        let server = RegistryServer(
            host: local, configuration: configuration, services: services, logger: logger)
        if tls == nil, !LoopbackName.isOne(host) {
            note(
                "warning: \(host) can be reached from other machines and access tokens travel unencrypted: "
                    + "give --tls-certificate and --tls-key, or put a TLS proxy before it")
        }
        let (host, console) = (host, options.console)
        let scheme = tls == nil ? "http" : "https"
        try await server.run(signals: [.sigterm, .sigint]) { port in
            let name = host.contains(":") ? "[\(host)]" : host
            let url = "\(scheme)://\(name):\(port)"
            console.result(
                url, json: .object(["url": .string(url), "port": .integer(port), "app": .string(local.app)]))
            // A script that reads the URL from a pipe is not to wait for the server's end.
            fflush(nil)
        }
    }

    private func adapterSettings() throws -> AdapterSettings? {
        guard !adapters.isEmpty else { return nil }
        var settings = AdapterSettings(channel: try ChannelName(adapterChannel))
        settings.kinds = Set(adapters)
        if let codePushKeys { settings.codePushKeys = try keyTable(codePushKeys) }
        return settings
    }

    private func keyTable(_ path: String) throws -> CodePushKeyTable {
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
            throw CommandFailure("--codepush-keys \(path) cannot be read: \(error.localizedDescription)")
        }
        let bytes = try file.read(upToCount: CodePushKeyTable.maximumByteCount + 1).map { [UInt8]($0) } ?? []
        guard bytes.count <= CodePushKeyTable.maximumByteCount else {
            throw CommandFailure("--codepush-keys \(path) has more than \(CodePushKeyTable.maximumByteCount) bytes")
        }
        return try CodePushKeyTable(parsing: bytes)
    }

    private func limits() throws -> ServerLimits {
        var limits = ServerLimits()
        limits.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        limits.takesReports = reports == .on
        limits.reportCaps.perNetwork = maximumReportsPerNetwork
        let field = TrustedProxies.Field.allCases.first { $0.rawValue.lowercased() == proxyHeader.lowercased() }
        guard let field else { throw CommandFailure("--proxy-header must be X-Forwarded-For or Forwarded") }
        limits.trustedProxies = try TrustedProxies(trustedProxies, field: field)
        return limits
    }

    private var tls: TLSFiles? {
        guard let tlsCertificate, let tlsKey else { return nil }
        return TLSFiles(certificate: URL(filePath: tlsCertificate), key: URL(filePath: tlsKey))
    }

    private var logger: Logger {
        let isJSON = jsonLogs
        var logger = Logger(label: "packtool") { label -> any LogHandler in
            if isJSON { return JSONLogHandler() }
            return StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = options.quiet ? .error : options.verbose ? .debug : .info
        return logger
    }

    private func checkedPublicURL() throws -> String? {
        guard var text = publicURL else { return nil }
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil,
            url.query() == nil, url.fragment() == nil
        else { throw CommandFailure("--public-url must be a URL such as https://packages.example.com") }
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }
}

extension AdapterKind: ExpressibleByArgument {}
