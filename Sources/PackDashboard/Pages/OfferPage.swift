import PackFormat
import PackRegistryAPI

/// A package on a channel: its releases, its rollout, what may be done, and what devices reported.
struct OfferPage {
    let package: PackageID
    let channel: ChannelName
    /// Newest first.
    let releases: [Release]
    let isGateOff: Bool
    /// What devices show while the gate is off; nil while it is on.
    var pages: OnlinePages?
    /// Nil without a plan, or if the viewer may not see it.
    let rollout: RolloutStatus?
    let stats: ReportStats?
    let viewer: DashboardViewer
    /// The other channels, for a promotion.
    let channels: [ChannelName]

    var page: DashboardPage {
        DashboardPage(
            "\(package) on \(channel)",
            crumbs: [
                ("Packages", .home), (package.text, .package(package, page: 1)),
                (channel.text, .channel(channel, page: 1)),
            ]
        ) {
            offered
            if let rollout { RolloutSection(rollout, releases).html }
            if viewer.scope.allows(.release, package: package, channel: channel) {
                OfferActions(
                    package: package, channel: channel, releases: releases, isGateOff: isGateOff, rollout: rollout,
                    channels: channels
                ).html
            }
            if let stats { StatsSections(stats).ofPackage } else { StatsSections.forbidden }
        }
    }

    private var offered: HTML {
        var table = Table(
            "Releases, newest first", [.text("Version"), .text("For"), .text("Release"), .text("How devices take it")])
        table.empty = "The channel offers nothing of this package."
        for release in releases {
            table.add(
                cell {
                    if let version = release.version {
                        tag("a", .href(.version(package, version))) { version.description }
                    } else {
                        "what the app embeds"
                    }
                },
                cell { foreign(release.rollout.devicesText) },
                cell {
                    foreign(release.id)
                    if let set = release.set {
                        " of the set "
                        foreign(set)
                    }
                    if release.retry > 0 { ", tried \(Words.count(release.retry + 1, "time"))" }
                }, cell(release.policy == .standard ? "as the app has it" : release.policy.text))
        }
        return tag("section", .labelledBy("offered")) {
            tag("h2", .id("offered")) { "Offered" }
            if isGateOff {
                tag("p", .class("notice bad")) {
                    foreign("The gate is off\(pages.map { ": \($0.text)" } ?? "").")
                }
            }
            table.html
        }
    }
}
