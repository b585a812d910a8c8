import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI

/// Draws a snapshot for a terminal: a table, the rollouts that go on, and what changed. Pure.
struct WatchFrame {
    private static let barLength = 12

    let snapshot: WatchSnapshot
    /// The newest last.
    let changes: [(time: Date, text: String)]
    /// Why the newest state could not be read; nil if it could.
    let fault: String?
    let place: String
    let interval: Int
    let now: Date
    /// Whether lines may be bold.
    var hasStyle = true

    func lines(width: Int, height: Int) -> [String] {
        var lines = [head(width)]
        if let fault {
            lines.append(cut("! not up to date, as of \(clock(snapshot.time)): \(fault)", width))
        }
        lines.append("")
        let table = TextTable.lines(rows)
        lines += table.prefix(1).map { bold(cut($0, width)) } + table.dropFirst().map { cut($0, width) }
        let next = snapshot.rollouts.filter { status in
            status.state != .completed && status.state != .rolledBack
                && status.superseding(snapshot.overview.offered(status)) == nil
        }.map(sentence)
        if !next.isEmpty { lines += ["", bold("ROLLOUTS")] + next.map { cut($0, width) } }
        // What changed has the rest of the screen, and three lines at least.
        let room = max(3, height - lines.count - 2)
        let shown = changes.suffix(room).map { cut("\(clock($0.time))  \($0.text)", width) }
        let log = ["", bold("CHANGES")] + (shown.isEmpty ? ["none since this view was opened"] : shown)
        let above = max(1, height - log.count)
        if lines.count > above {
            let hidden = lines.count - above + 1
            lines =
                lines.prefix(above - 1) + [
                    "… \(hidden) more lines: make the window higher, or name a package or --channel"
                ]
        }
        return Array((lines + log).prefix(height))
    }

    private func head(_ width: Int) -> String {
        let left = "\(snapshot.overview.app)  \(place)"
        let right = "\(clock(now)) UTC  every \(interval) s  q quits"
        guard left.count + right.count + 2 <= width else { return bold(cut("\(clock(now))  \(left)", width)) }
        return bold(left + String(repeating: " ", count: width - left.count - right.count) + right)
    }

    private var rows: [[String]] {
        var rows = [["PACKAGE", "CHANNEL", "OFFERS", "ROLLOUT", "DEVICES", "CONFIRMED", "FAILED", "SILENT"]]
        for (channel, packages) in snapshot.overview.channels.sorted(by: { $0.key < $1.key }) {
            for (package, releases) in packages.sorted(by: { $0.key < $1.key }) {
                let isOff = snapshot.overview.settings[channel]?.gatesOff.contains(package) ?? false
                rows.append(
                    [
                        package.text, channel.text, WatchSnapshot.offer(releases) + (isOff ? " (gate off)" : ""),
                        progress(package, channel),
                    ] + devices(package, channel, releases.first))
            }
        }
        if rows.count == 1 { rows.append(["nothing is offered yet"]) }
        return rows
    }

    private func progress(_ package: PackageID, _ channel: ChannelName) -> String {
        guard let status = snapshot.rollouts.first(where: { $0.package == package && $0.channel == channel }) else {
            return "-"
        }
        let offered = snapshot.overview.offered(status)
        if let newer = status.superseding(offered) { return "superseded by \(ReleaseMoves.destination(newer))" }
        if status.offeredAgain(offered) != nil { return "offered again, without a plan" }
        let filled = status.share.tenThousandths * Self.barLength / 10_000
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.barLength - filled)
        return "\(bar) \(status.stepNumber)/\(status.steps.count) \(RolloutText.word(status.state))"
    }

    /// Of the newest release's version.
    private func devices(_ package: PackageID, _ channel: ChannelName, _ release: Release?) -> [String] {
        guard let stats = snapshot.stats[channel], let version = release?.version else { return ["-", "-", "-", "-"] }
        let found = stats.versions.filter { $0.package == package && $0.version == version }
        let sum = found.reduce(into: [0, 0, 0, 0]) { sum, version in
            for (index, count) in [version.activated, version.confirmed, version.failed, version.silent].enumerated() {
                sum[index] += count
            }
        }
        return ["\(sum[0])"] + sum.dropFirst().map { sum[0] > 0 && $0 > 0 ? "\($0) (\($0 * 100 / sum[0]) %)" : "\($0)" }
    }

    private func sentence(_ status: RolloutStatus) -> String {
        "\(status.package) \(status.version?.description ?? "embedded") on \(status.channel): \(RolloutText.next(status))"
    }

    private func clock(_ date: Date) -> String { String(date.formatted(.iso8601).dropFirst(11).prefix(8)) }

    /// Control characters of somebody's text cannot move the cursor.
    private func cut(_ line: String, _ width: Int) -> String {
        let plain = String(
            String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        return plain.count <= width ? plain : String(plain.prefix(max(0, width - 1))) + "…"
    }

    private func bold(_ text: String) -> String { hasStyle ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
