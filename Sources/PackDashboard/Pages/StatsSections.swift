import PackFormat
import PackRegistryAPI

/// What devices reported, as parts of pages.
struct StatsSections {
    private static let maximumRowCount = 20

    let stats: ReportStats

    init(_ stats: ReportStats) {
        self.stats = stats
    }

    static var forbidden: HTML {
        tag("section", .labelledBy("reports")) {
            tag("h2", .id("reports")) { "What devices report" }
            tag("p", .class("quiet")) { "Your token may not observe: ask for one that was made with --observe." }
        }
    }

    var ofChannel: [HTML] { [population] + devices + [failures, savings] }
    var ofPackage: [HTML] { [population] + devices + [adoption, failures, savings] }

    private var days: String { Words.count(max(1, (stats.to - stats.from) / 86_400), "day") }

    /// The versions with most devices.
    private var largest: [ReportStats.Version] {
        Array(
            stats.versions.sorted { ($1.activated, $0.version) < ($0.activated, $1.version) }
                .prefix(Self.maximumRowCount))
    }

    private func name(_ version: ReportStats.Version) -> String {
        "\(version.package) \(version.version)" + (version.release.map { " (\($0))" } ?? "")
    }

    private var population: HTML {
        var table = Table(
            "Devices by version in \(days)",
            [
                .text("Version"), .number("Devices"), .number("Confirmed"), .number("Failed"), .number("Silent"),
                .number("Waiting"),
            ])
        table.empty = "No device reported anything. Apps report only if they turn it on."
        for version in largest {
            func part(_ count: Int) -> String {
                count == 0 ? "0" : "\(Words.count(count)) (\(CountText.share(count, of: version.activated)))"
            }
            table.add(
                cell { "\(version.package) \(version.version)" }, cell(Words.count(version.activated)),
                cell(part(version.confirmed)), cell(part(version.failed)), cell(part(version.silent)),
                cell(Words.count(version.waiting)))
        }
        var bars = BarTable("Population", "Version", "Devices")
        for version in largest { bars.add(name(version), version.activated, Words.count(version.activated)) }
        return tag("section", .labelledBy("reports")) {
            tag("h2", .id("reports")) { "What devices report" }
            if !stats.isEmpty {
                tag("p") {
                    "Devices on which a version became active. Silent ones neither confirmed nor failed in "
                    "\(Words.count(stats.window / 3600, "hour")): a version that crashes at once is seen by that."
                }
            }
            table.html
            if !bars.rows.isEmpty { bars.html }
        }
    }

    /// What devices said that they are; nothing if none did.
    private var devices: [HTML] {
        let population = stats.population
        guard population.devices > 0 else { return [] }
        let facts = [
            ("Platform", population.platforms), ("App version", population.appVersions),
            ("System version", population.osVersions),
        ]
        let section = tag("section", .labelledBy("devices")) {
            tag("h2", .id("devices")) { "Devices" }
            tag("p") {
                "\(Words.count(population.devices, "device")) said in the last days what they are: their apps let them."
            }
            for (name, counts) in facts where !counts.isEmpty { bars(name, counts, of: population.devices) }
        }
        return [section]
    }

    private func bars(_ name: String, _ counts: ReportPopulation.Counts, of all: Int) -> HTML {
        var bars = BarTable("Devices by \(name.lowercased())", name, "Devices")
        for (value, count) in ReportPopulation.ordered(counts).prefix(Self.maximumRowCount) {
            bars.add(value ?? "not known", count, "\(Words.count(count)) (\(CountText.share(count, of: all)))")
        }
        return bars.html
    }

    /// How many devices have taken each version until then.
    private var adoption: HTML {
        let lines = largest.prefix(LineChart.maximumSeriesCount).compactMap { version -> LineChart.Series? in
            var sum = 0
            var points = version.series.map { point in
                sum += point.activated
                return (time: point.time, value: sum)
            }
            guard let last = points.last else { return nil }
            if last.time < stats.to { points.append((stats.to, last.value)) }
            return LineChart.Series(name: "\(version.version)", points: points)
        }
        return tag("section", .labelledBy("adoption")) {
            tag("h2", .id("adoption")) { "Adoption" }
            if lines.isEmpty {
                tag("p", .class("quiet")) { "No version became active in \(days)." }
            } else {
                LineChart(
                    "adoption-chart", "Devices that took each version", Array(lines), from: stats.from, to: stats.to
                ).html
            }
        }
    }

    private var failures: HTML {
        var table = Table(
            "Failures by code",
            [.text("Code"), .text("Version"), .number("Count"), .text("First"), .text("Last")])
        table.empty = "No device reported a failure in \(days)."
        for failure in stats.failures.prefix(Self.maximumRowCount) {
            table.add(
                cell(ReleaseWords.code(failure)), cell("\(failure.package) \(failure.version)"),
                cell(Words.count(failure.count)), cell(Words.date(failure.first)), cell(Words.date(failure.last)))
        }
        return tag("section", .labelledBy("failures")) {
            tag("h2", .id("failures")) { "Failures" }
            table.html
            if stats.failures.count > Self.maximumRowCount {
                tag("p", .class("quiet")) {
                    "The \(Self.maximumRowCount) most frequent of \(Words.count(stats.failures.count)); packtool stats lists all."
                }
            }
        }
    }

    private var savings: HTML {
        let saved = stats.savings
        var bars = BarTable("Bytes of \(Words.count(saved.installations, "download"))", "Way", "Bytes")
        bars.add("Sent", saved.wireByteCount, Words.bytes(saved.wireByteCount))
        bars.add("Zips of the same versions", saved.zipByteCount, Words.bytes(saved.zipByteCount), colour: 5)
        let web = stats.web
        var served = BarTable(
            "Requests of pages in \(Words.count(stats.sessions, "run")) of the app", "Answered", "Requests")
        let all = web.local + web.online + web.missed
        for (index, part) in [("On the device", web.local), ("Online", web.online), ("With an error", web.missed)]
            .enumerated()
        {
            served.add(
                part.0, part.1, "\(Words.count(part.1)) (\(CountText.share(part.1, of: all)))",
                colour: [0, 5, 1][index])
        }
        return tag("section", .labelledBy("savings")) {
            tag("h2", .id("savings")) { "Savings" }
            if saved.installations > 0 {
                tag("p") {
                    "Patches sent \(CountText.share(saved.wireByteCount, of: saved.zipByteCount)) of the bytes that zips would have cost."
                }
                bars.html
            } else {
                tag("p", .class("quiet")) {
                    "No download in \(days) could be compared: the first devices of a version may have it before its zip is made."
                }
            }
            if stats.sessions > 0 { served.html }
        }
    }
}
