import Foundation
import PackFormat
import PackRegistryAPI

/// Who did what, newest first.
struct AuditPage {
    static let pageSize = 50
    /// How far back the log can be read.
    static let maximumCount = 10_000

    let entries: [AuditEntry]
    let number: Int

    var page: DashboardPage {
        let page = ListPage(entries, number: number, size: Self.pageSize)
        var table = Table(
            "Audit log, newest first", [.text("Time"), .text("Who"), .text("Action"), .text("What"), .text("Details")])
        for entry in page.elements {
            table.add(
                cell(Words.date(entry.time)), cell(foreign: entry.actor), cell(foreign: entry.action),
                cell(foreign: entry.subject), cell(foreign: String(entry.detail.prefix(200))))
        }
        return DashboardPage("Audit log") {
            table.html
            page.links { .audit(page: $0) }
        }
    }
}

/// The access tokens, without their secrets.
struct TokensPage {
    private static let maximumRowCount = 200

    let tokens: [TokenRecord]
    let now: Date

    var page: DashboardPage {
        var table = Table(
            "Tokens, newest first",
            [
                .text("Name"), .text("Id"), .text("Rights"), .text("For"), .text("Created"), .text("State"),
                .text("Change"),
            ]
        )
        table.empty = "There is no token: packtool token create makes one."
        for token in tokens.prefix(Self.maximumRowCount) {
            table.add(
                cell(foreign: token.name), cell { tag("code") { token.id } },
                cell(token.scope.actions.map(\.rawValue).sorted().joined(separator: ", ")), cell(place(token.scope)),
                cell(Words.date(token.created)), cell { state(token) },
                cell {
                    if token.revoked == nil {
                        tag(
                            "a", .href(.verb(.revokeToken(token.id))), .label("Revoke \(token.name) (\(token.id))")
                        ) { "Revoke" }
                    }
                })
        }
        return DashboardPage("Tokens") {
            table.html
            if tokens.count > Self.maximumRowCount {
                tag("p", .class("quiet")) { "The newest \(Self.maximumRowCount) of \(Words.count(tokens.count))." }
            }
        }
    }

    private func place(_ scope: TokenScope) -> String {
        let packages = scope.packages.map { $0.map(\.text).sorted().prefix(10).joined(separator: ", ") }
        let channels = scope.channels.map { $0.map(\.text).sorted().prefix(10).joined(separator: ", ") }
        return "\(packages ?? "all packages"), \(channels ?? "all channels")"
    }

    private func state(_ token: TokenRecord) -> HTML {
        if let revoked = token.revoked {
            return tag("span", .class("quiet")) { "revoked \(Words.date(revoked))" }
        }
        if let trust = token.trust { return foreign("for jobs of \(trust.issuer)") }
        guard let expires = token.expires else { return tag("span") { "valid, never expires" } }
        if token.isExpired(at: now) { return tag("span", .class("quiet")) { "expired \(Words.date(expires))" } }
        return tag("span") { "valid until \(Words.date(expires))" }
    }
}
