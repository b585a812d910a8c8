import PackFormat
import PackRegistryAPI

/// A channel: what it offers, what it tells its devices, and what they reported.
struct ChannelPage {
    static let pageSize = 50

    let channel: ChannelName
    let offered: [PackageID: [Release]]
    let settings: ChannelSettings
    /// Nil if the viewer may not see reports.
    let stats: ReportStats?
    let number: Int

    var page: DashboardPage {
        DashboardPage(channel.text, crumbs: [("Packages", .home)]) {
            offers
            settingsList
            if let stats { StatsSections(stats).ofChannel } else { StatsSections.forbidden }
        }
    }

    private var offers: HTML {
        let packages = ListPage(offered.keys.sorted(), number: number, size: Self.pageSize)
        var table = Table("What \(channel) offers", [.text("Package"), .text("Releases"), .text("Gate")])
        table.empty = "The channel offers nothing."
        for package in packages.elements {
            let isOff = settings.gatesOff.contains(package)
            table.add(
                cell { tag("a", .href(.offer(channel, package))) { package.text } },
                cell(ReleaseWords.offer(offered[package] ?? [])),
                cell {
                    if isOff { tag("strong", .class("bad")) { "off" } } else { "on" }
                })
        }
        return tag("section", .labelledBy("offers")) {
            tag("h2", .id("offers")) { "Offered" }
            table.html
            packages.links { .channel(channel, page: $0) }
        }
    }

    private var settingsList: HTML {
        tag("section", .labelledBy("settings")) {
            tag("h2", .id("settings")) { "What it tells devices" }
            tag("dl") {
                tag("dt") { "Devices look" }
                tag("dd") { settings.poll?.text ?? "as the app has it" }
                tag("dt") { "Web rules" }
                tag("dd") { settings.rules.map { Words.count($0.rules.count, "rule") } ?? "as the app has them" }
                tag("dt") { "Groups" }
                tag("dd") {
                    if settings.groups.isEmpty { "none" }
                    tag("ul", .class("plain")) {
                        for (name, count) in settings.groups.sorted(by: { $0.key < $1.key }) {
                            tag("li") {
                                foreign(name)
                                ": \(Words.count(count, "device"))"
                            }
                        }
                    }
                }
            }
        }
    }
}
