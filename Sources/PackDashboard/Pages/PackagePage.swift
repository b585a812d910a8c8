import Foundation
import PackFormat
import PackRegistryAPI

/// The versions of a package, with the history of their sizes.
struct PackagePage {
    static let pageSize = 25
    /// Versions in the chart of sizes.
    private static let maximumPointCount = 100

    let package: PackageID
    /// The newest publication first.
    let versions: [RegistryOverview.Version]
    let channels: [ChannelName: [Release]]
    let number: Int

    var page: DashboardPage {
        DashboardPage(package.text, crumbs: [("Packages", .home)]) {
            offers
            sizes
            list
        }
    }

    private var offers: HTML {
        tag("section", .labelledBy("offers")) {
            tag("h2", .id("offers")) { "Offered" }
            if channels.isEmpty { tag("p", .class("quiet")) { "No channel offers it." } }
            tag("ul", .class("links")) {
                for (channel, releases) in channels.sorted(by: { $0.key < $1.key }) {
                    tag("li") {
                        tag("a", .href(.offer(channel, package))) { channel.text }
                        ": \(ReleaseWords.offer(releases))"
                    }
                }
            }
        }
    }

    private var sizes: HTML {
        let shown = versions.prefix(Self.maximumPointCount).reversed()
        func line(_ name: String, _ size: (RegistryOverview.Version) -> Int?) -> LineChart.Series {
            LineChart.Series(
                name: name,
                points: shown.compactMap { version in
                    size(version).map { (Int(version.published.timeIntervalSince1970), $0) }
                })
        }
        let lines = [line("All files", \.size), line("Full download", \.fullSize)].filter { !$0.points.isEmpty }
        let times = shown.map { Int($0.published.timeIntervalSince1970) }
        return tag("section", .labelledBy("sizes")) {
            tag("h2", .id("sizes")) { "Sizes" }
            if let from = times.min(), let to = times.max(), !lines.isEmpty {
                LineChart("size-chart", "Size of each version", lines, from: from, to: to, text: Words.bytes).html
            } else {
                tag("p", .class("quiet")) { "Nothing is published yet." }
            }
        }
    }

    private var list: HTML {
        let page = ListPage(Array(versions.indices), number: number, size: Self.pageSize)
        var table = Table(
            "Versions, newest first",
            [
                .text("Version"), .text("Published"), .text("By"), .number("Files"), .number("Size"),
                .number("Change"), .number("Download"), .text("Note"),
            ])
        for index in page.elements {
            let version = versions[index]
            let before = versions.dropFirst(index + 1).first
            table.add(
                cell { tag("a", .href(.version(package, version.version))) { version.version.description } },
                cell(Words.date(version.published)), cell(foreign: version.publishedBy),
                cell(Words.count(version.fileCount)), cell(Words.bytes(version.size)),
                cell(before.map { Words.change(version.size - $0.size) } ?? "–"),
                cell(version.fullSize.map { Words.bytes($0) } ?? "not made yet"), cell { note(version) })
        }
        return tag("section", .labelledBy("versions")) {
            tag("h2", .id("versions")) { "Versions" }
            table.html
            page.links { .package(package, page: $0) }
        }
    }

    private func note(_ version: RegistryOverview.Version) -> [HTML] {
        var parts: [HTML] = []
        if let reason = version.withdrawn {
            parts += [tag("strong", .class("bad")) { "withdrawn: " }, foreign(String(reason.prefix(300))), .text(" ")]
        }
        if version.pruned != nil { parts.append(.text("its files were removed ")) }
        if let text = version.note.text { parts += [foreign(String(text.prefix(300))), .text(" ")] }
        if let commit = version.note.commit { parts.append(tag("code") { foreign(String(commit.prefix(12))) }) }
        return parts
    }
}
