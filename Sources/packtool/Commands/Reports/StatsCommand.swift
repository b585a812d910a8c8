import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool stats`: shows what the devices of a channel reported.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show what devices reported: adoption, failures, savings.",
        discussion: HelpText.flowing(
            """
            SILENT counts devices on which a version became active and was neither confirmed nor failed within
            the window. Such a version may crash before it can report. WAITING counts devices whose window is
            not over. Over HTTP the command needs a token with --observe.

            The devices of the last days are listed by platform, app and system version if their apps say so
            (reports with facts). packtool simulate --population reports takes them for its population.
            """))

    @Argument(help: "One package only.")
    var package: PackageID?

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("How many days back, 1 to 400.", valueName: "DAYS"))
    var days = 30

    @Option(help: ArgumentHelp("Hours that a version has to be confirmed in, 1 to 720.", valueName: "HOURS"))
    var window = 24

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard StatsQuery.dayRange.contains(days) else { throw ValidationError("--days is a number from 1 to 400") }
        guard StatsQuery.windowHourRange.contains(window) else {
            throw ValidationError("--window is a number from 1 to 720")
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        let stats = try await session.registry.stats(
            StatsQuery(channel: channel, package: package, days: days, windowHours: window))
        if stats.isEmpty { try await requireNames(session) }
        options.console.result(StatsText(stats).lines.joined(separator: "\n"), json: .object(stats.json))
        if stats.isEmpty {
            options.console.note(
                "Apps report only if they turn it on (docs/REPORTS.md), and a server takes reports with --reports on.")
        }
    }

    /// Nothing was reported: perhaps a name is wrong.
    private func requireNames(_ session: RegistrySession) async throws {
        let overview = try await session.registry.overview()
        try NameCheck.require(channel, in: overview)
        if let package { try NameCheck.require(package, in: overview) }
    }
}

/// The statistics as text.
struct StatsText {
    /// Values of one fact; --json has them all.
    private static let populationCount = 6

    private let stats: ReportStats

    init(_ stats: ReportStats) {
        self.stats = stats
    }

    var lines: [String] {
        guard !stats.isEmpty else {
            return ["no device of the channel \(stats.channel) reported anything since \(date(stats.from))"]
        }
        var lines =
            stats.versions.isEmpty
            ? []
            : TextTable.lines(
                [["PACKAGE", "VERSION", "RELEASE", "DEVICES", "CONFIRMED", "FAILED", "SILENT", "WAITING"]]
                    + stats.versions.map { version in
                        [
                            version.package.text, version.version.description, version.release ?? "-",
                            CountText.number(version.activated), share(version.confirmed, version),
                            share(version.failed, version),
                            share(version.silent, version), "\(version.waiting)",
                        ]
                    })
        lines += adoption
        if !stats.failures.isEmpty {
            lines += ["", "failures"]
            lines += TextTable.lines(
                stats.failures.map { failure in
                    [
                        "  \(failure.package) \(failure.version)", failure.phase?.rawValue ?? "-",
                        failure.fault?.rawValue ?? "-", "\(failure.count) ×",
                        "first \(date(failure.first)), last \(date(failure.last))",
                    ]
                })
        }
        if stats.savings.installations > 0 {
            let (wire, zips) = (stats.savings.wireByteCount, stats.savings.zipByteCount)
            let saved = zips > 0 ? ": \(CountText.share(max(0, zips - wire), of: zips)) saved" : ""
            lines += [
                "",
                "\(CountText.text(stats.savings.installations, "download")): \(ByteCount.text(wire)) sent, zips would have been "
                    + "\(ByteCount.text(zips))\(saved)",
            ]
        }
        if stats.sessions > 0 {
            let web = stats.web
            let all = max(1, web.local + web.online + web.missed)
            lines += [
                "",
                "\(CountText.text(stats.sessions, "run")) of the app: \(CountText.text(web.local, "request")) served locally (\(CountText.share(web.local, of: all)), "
                    + "\(ByteCount.text(web.byteCount))), \(CountText.number(web.online)) online, \(CountText.number(web.missed)) missed",
            ]
        }
        lines += population
        if lines.first == "" { lines.removeFirst() }
        return lines
    }

    /// What devices said that they are and have.
    private var population: [String] {
        let population = stats.population
        guard population.devices > 0 else { return [] }
        func row(_ name: String, _ counts: ReportPopulation.Counts) -> [[String]] {
            let sorted = ReportPopulation.ordered(counts)
            var parts = sorted.prefix(Self.populationCount).map { entry in
                "\(entry.value ?? "not known") \(CountText.number(entry.devices)) (\(CountText.share(entry.devices, of: population.devices)))"
            }
            if sorted.count > parts.count { parts.append("\(sorted.count - parts.count) more") }
            return parts.isEmpty ? [] : [["  \(name)", parts.joined(separator: ", ")]]
        }
        var rows = row("platform", population.platforms)
        rows += row("app", population.appVersions)
        rows += row("system", population.osVersions)
        for (package, versions) in population.versions.sorted(by: { $0.key < $1.key }) {
            rows += row(
                package.text, Dictionary(versions.map { ($0.key.description, $0.value) }, uniquingKeysWith: +))
        }
        return ["", "\(CountText.text(population.devices, "device")) of the last days by what they are and have"]
            + TextTable.lines(rows)
    }

    /// The newest days or hours on which a version became active.
    private var adoption: [String] {
        let rows = stats.versions.flatMap { version in
            version.series.map { (version, $0) }
        }.sorted { ($0.1.time, $0.0.package, $0.0.version) < ($1.1.time, $1.0.package, $1.0.version) }.suffix(20)
        guard !rows.isEmpty else { return [] }
        return ["", stats.step < 86_400 ? "by hour" : "by day"]
            + TextTable.lines(
                rows.map { version, point in
                    [
                        "  \(date(point.time))", "\(version.package) \(version.version)",
                        "\(point.activated) activated", "\(point.confirmed) confirmed", "\(point.failed) failed",
                    ]
                })
    }

    private func share(_ count: Int, _ version: ReportStats.Version) -> String {
        guard count > 0, version.activated > 0 else { return "\(count)" }
        return "\(count) (\(CountText.share(count, of: version.activated)))"
    }

    private func date(_ time: Int) -> String { ReportTime.text(time) }
}

/// Times of reports, which are coarse.
enum ReportTime {
    /// - Parameter time: seconds since 1970.
    static func text(_ time: Int) -> String {
        let text = Date(timeIntervalSince1970: Double(time)).formatted(.iso8601)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))Z"
    }
}
