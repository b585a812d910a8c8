import PackFormat
import PackRegistryAPI

/// All packages, and what channels offer of them.
struct HomePage {
    static let pageSize = 50

    let overview: RegistryOverview
    /// The rollouts with a plan of the packages on this page, as far as the viewer may see them.
    let rollouts: [RolloutStatus]
    /// The other systems whose clients the server answers.
    var systems: [OtherSystem] = []
    let number: Int

    var packages: ListPage<PackageID> {
        ListPage(overview.versions.keys.sorted(), number: number, size: Self.pageSize)
    }

    var page: DashboardPage {
        DashboardPage("Packages") {
            channels
            list
            packages.links { .home(page: $0) }
            if let section = OtherSystemsSection(systems: systems).html { section }
        }
    }

    private var channels: HTML {
        tag("section", .labelledBy("channels")) {
            tag("h2", .id("channels")) { "Channels" }
            if overview.channels.isEmpty {
                tag("p", .class("quiet")) { "No channel offers anything yet: packtool publish does." }
            } else {
                tag("ul", .class("links")) {
                    for (channel, packages) in overview.channels.sorted(by: { $0.key < $1.key }) {
                        tag("li") {
                            tag("a", .href(.channel(channel, page: 1))) { channel.text }
                            " offers \(Words.count(packages.filter { !$0.value.isEmpty }.count, "package"))"
                        }
                    }
                }
            }
        }
    }

    private var list: HTML {
        var table = Table("Packages", [.text("Package"), .text("Newest version"), .text("Offered")])
        table.empty = "Nothing is published yet."
        for package in packages.elements {
            let versions = overview.versions[package] ?? []
            table.add(
                cell { tag("a", .href(.package(package, page: 1))) { package.text } },
                cell {
                    // A withdrawn version is only named where there is no other.
                    if let newest = versions.first(where: { $0.withdrawn == nil }) ?? versions.first {
                        tag("a", .href(.version(package, newest.version))) { newest.version.description }
                        tag("span", .class("quiet")) { " \(Words.date(newest.published))" }
                        if newest.withdrawn != nil { tag("span", .class("bad")) { " withdrawn" } }
                    }
                },
                cell { offers(of: package) })
        }
        return tag("section", .labelledBy("packages")) {
            tag("h2", .id("packages")) { "What is offered" }
            table.html
        }
    }

    private func offers(of package: PackageID) -> HTML {
        let offers = overview.channels.sorted { $0.key < $1.key }.compactMap { channel, packages in
            packages[package].map { (channel, $0) }
        }
        return tag("ul", .class("plain")) {
            for (channel, releases) in offers {
                tag("li") {
                    tag("a", .href(.offer(channel, package))) { channel.text }
                    ": \(ReleaseWords.offer(releases)) "
                    if overview.settings[channel]?.gatesOff.contains(package) == true {
                        tag("strong", .class("bad")) { "gate off" }
                    }
                    if let status = rollouts.first(where: { $0.package == package && $0.channel == channel }) {
                        // It may be of a version that is not offered any more.
                        "rollout of \(ReleaseWords.version(status.version)): "
                        ReleaseWords.state(status.state)
                        if status.offeredAgain(releases) != nil { ", offered again" }
                    }
                }
            }
        }
    }
}
