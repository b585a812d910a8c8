import PackFormat
import PackRegistryAPI

/// The timeline of one report id, and the form that asks for it.
struct DevicePage {
    /// The newest events that are shown.
    private static let maximumRowCount = 200

    let id: ReportID?
    /// Nil if the viewer may not observe.
    let events: [DeviceEvent]?

    var page: DashboardPage {
        DashboardPage("Device") {
            if events == nil { StatsSections.forbidden }
            form
            if let id, let events { timeline(id, events) }
        }
    }

    private var form: HTML {
        tag("form", .of("method", "get"), .action(.device(nil)), .class("inline")) {
            tag("label", .for("id")) { "Report id" }
            void(
                "input", .id("id"), .name("id"), .value(id?.description ?? ""), .of("size", "34"),
                .of("maxlength", "40"),
                .of("autocomplete", "off"), .of("spellcheck", "false"), .flag("required"))
            tag("button", .type("submit")) { "Show" }
            tag("p", .class("quiet")) {
                "The app shows it (updater.reportID()). It is random, changes each month, and names nobody."
            }
        }
    }

    private func timeline(_ id: ReportID, _ events: [DeviceEvent]) -> HTML {
        var table = Table(
            "Events in their order",
            [.number("Number"), .text("Time"), .text("Event"), .text("Version"), .text("Details"), .text("Channel")])
        table.empty = "Nothing is known of this report id: it sent nothing, or its events were removed by now."
        for event in events.suffix(Self.maximumRowCount) {
            let report = event.event
            table.add(
                cell("\(report.sequence)"), cell(Words.date(report.time)),
                cell {
                    if report.code == .failed || report.code == .rolledBack {
                        tag("strong", .class("bad")) { report.code.rawValue }
                    } else {
                        report.code.rawValue
                    }
                },
                cell("\(report.package) \(report.version?.description ?? "")"),
                cell { foreign(details(report)) }, cell(event.channel.text))
        }
        return tag("section", .labelledBy("timeline")) {
            tag("h2", .id("timeline")) { "What it reported" }
            table.html
            if events.count > Self.maximumRowCount {
                tag("p", .class("quiet")) { "The newest \(Self.maximumRowCount) of \(Words.count(events.count))." }
            }
        }
    }

    private func details(_ event: ReportEvent) -> String {
        var parts = [event.phase?.rawValue, event.fault?.rawValue].compactMap(\.self)
        if let release = event.release { parts.append("release \(release)") }
        if let wire = event.wireByteCount {
            parts.append("\(Words.bytes(wire)) sent" + (event.zipByteCount.map { " (zip \(Words.bytes($0)))" } ?? ""))
        }
        if let web = event.web {
            parts.append(
                "\(Words.count(web.local)) local, \(Words.count(web.online)) online, \(Words.count(web.missed)) missed")
        }
        if let facts = event.facts { parts.append(facts.description) }
        return parts.joined(separator: ", ")
    }
}
