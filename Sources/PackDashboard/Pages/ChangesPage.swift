import PackFormat
import PackRegistryAPI

/// Changes that wait for approval or for their time, or all of the newest.
struct ChangesPage {
    private static let maximumRowCount = 50

    let changes: ProposedChanges
    /// Whether those that are over are there too.
    let isAll: Bool

    var page: DashboardPage {
        DashboardPage("Changes", crumbs: [("Packages", .home)]) {
            required
            list
            tag("p") {
                if isAll {
                    tag("a", .href(.changes(isAll: false))) { "Only those that are open" }
                } else {
                    tag("a", .href(.changes(isAll: true))) { "Those that are over, too" }
                }
            }
        }
    }

    private var required: HTML {
        tag("section", .labelledBy("required")) {
            tag("h2", .id("required")) { "What channels require" }
            if changes.required.isEmpty {
                tag("p", .class("quiet")) { "No channel requires approvals." }
            }
            tag("ul", .class("plain")) {
                for (channel, count) in changes.required.sorted(by: { $0.key < $1.key }) {
                    tag("li") { "\(channel): \(Words.count(count, "approval")) by others than the proposer" }
                }
            }
        }
    }

    private var list: HTML {
        var table = Table(
            "Changes, newest first",
            [.number("Number"), .text("Channel"), .text("What"), .text("By"), .text("Approvals"), .text("State")])
        table.empty = "No change waits."
        for change in changes.changes.prefix(Self.maximumRowCount) {
            table.add(
                cell { tag("a", .href(.change(change.id)), .label("Change \(change.id)")) { "\(change.id)" } },
                cell(change.proposal.channel.text), cell(foreign: String(change.proposal.action.summary.prefix(200))),
                cell(foreign: change.proposer), cell("\(change.approvalCount) of \(change.needed)"),
                cell { ChangePage.state(change.state) })
        }
        return tag("section", .labelledBy("changes")) {
            tag("h2", .id("changes")) { isAll ? "The newest" : "Open" }
            table.html
        }
    }
}

/// One change: what it does, who approved it, and what may be said of it.
struct ChangePage {
    private static let maximumLineCount = 50

    let change: ProposedChange
    let viewer: DashboardViewer

    var page: DashboardPage {
        DashboardPage(
            "Change \(change.id) on \(change.proposal.channel)",
            crumbs: [("Packages", .home), ("Changes", .changes(isAll: false))]
        ) {
            tag("p") {
                Self.state(change.state)
                " "
                foreign(change.proposal.action.summary)
            }
            effect
            plan
            facts
            if change.state == .waiting, viewer.scope.allows(.release, channel: change.proposal.channel) {
                tag("ul", .class("actions")) {
                    tag("li") { tag("a", .class("button"), .href(.verb(.approve(change.id)))) { "Approve" } }
                    tag("li") { tag("a", .class("button"), .href(.verb(.reject(change.id)))) { "Reject" } }
                }
            } else if change.state == .scheduled {
                tag("ul", .class("actions")) {
                    tag("li") { tag("a", .class("button"), .href(.verb(.reject(change.id)))) { "Reject" } }
                }
            }
        }
    }

    private var effect: HTML {
        tag("section", .labelledBy("effect")) {
            tag("h2", .id("effect")) { "What it does" }
            tag("ul", .class("effects")) {
                for line in change.effect.prefix(Self.maximumLineCount) { tag("li") { foreign(line) } }
                for warning in change.warnings { tag("li") { foreign(warning) } }
            }
        }
    }

    private var plan: HTML {
        guard let words = change.planWords else { return .group([]) }
        var table = Table(
            "Steps of the plan", words.header.map { .text("\($0.prefix(1))\($0.dropFirst().lowercased())") })
        table.rows = words.rows.map { row in row.map { text in cell(text) } }
        return tag("section", .labelledBy("plan")) {
            tag("h2", .id("plan")) { "The plan" }
            if change.preview?.status != nil {
                tag("p", .class("quiet")) {
                    "Dates are as if it were made \(change.proposal.time == nil ? "now" : "at its time")."
                }
            }
            table.html
            tag("ul", .class("plain")) { for line in words.conditions { tag("li") { foreign(line) } } }
        }
    }

    private var facts: HTML {
        tag("section", .labelledBy("facts")) {
            tag("h2", .id("facts")) { "Facts" }
            tag("dl") {
                tag("dt") { "Proposed" }
                tag("dd") {
                    "\(Words.date(change.proposed)) by "
                    foreign(change.proposer)
                }
                if !change.proposal.reason.isEmpty {
                    tag("dt") { "Reason" }
                    tag("dd") { foreign(change.proposal.reason) }
                }
                tag("dt") { "Made" }
                tag("dd") { change.proposal.time.map { "at \(Words.date($0))" } ?? "as soon as it is approved" }
                tag("dt") { "Expires" }
                tag("dd") { Words.date(change.expires) }
                tag("dt") { "Approvals" }
                tag("dd") {
                    "\(change.approvalCount) of \(change.needed)"
                    tag("ul", .class("plain")) {
                        for approval in change.approvals.prefix(Self.maximumLineCount) {
                            tag("li") {
                                foreign(approval.by)
                                " \(Words.date(approval.time))\(approval.isRevoked ? ", whose token was revoked since" : "")"
                            }
                        }
                    }
                }
                if let end = change.end {
                    tag("dt") { "Ended" }
                    tag("dd") {
                        "\(Words.date(end.time)) by "
                        foreign(end.by)
                        ": "
                        foreign(String(end.text.prefix(500)))
                    }
                }
            }
        }
    }

    static func state(_ state: ProposedChange.State) -> HTML {
        let kind =
            switch state {
            case .waiting, .scheduled: "warn"
            case .executed: "good"
            case .rejected, .expired, .failed: "bad"
            }
        return tag("strong", .class("state \(kind)")) { state.rawValue }
    }
}
