package import Foundation
import PackJSON
package import PackRegistryAPI

/// Something that happened in a registry, as webhooks tell it.
package struct WebhookEvent: Hashable, Sendable {
    package static let currentFormat = 1

    package let kind: Webhook.Kind
    package let time: Date
    package let actor: String
    package let subject: String
    package let detail: String

    package init(_ kind: Webhook.Kind, time: Date, actor: String, subject: String, detail: String) {
        self.kind = kind
        self.time = time
        self.actor = actor
        self.subject = subject
        self.detail = detail
    }

    /// What an entry of the audit log is to webhooks; nil: nothing.
    package init?(_ entry: AuditEntry) {
        let kind: Webhook.Kind
        switch entry.action {
        case "release", "promote", "rollout", "rollout plan", "rollout retry": kind = .release
        case "rollout halt": kind = .halt
        case "rollout start", "rollout step", "rollout advance": kind = .advance
        case "rollout complete": kind = .complete
        case "rollback", "rollout rollback": kind = .rollback
        case "withdraw": kind = .withdraw
        case "change propose", "change reject", "change fail": kind = .approval
        default: return nil
        }
        self.init(kind, time: entry.time, actor: entry.actor, subject: entry.subject, detail: entry.detail)
    }

    /// Days before its end at which a signature is told: people sign root and targets, and a server renews the others long before.
    private static func noticeDays(_ role: String) -> Double { ["root", "targets"].contains(role) ? 30 : 2 }

    /// What a signature's end is to webhooks; nil while there is time.
    package init?(role: String, expires: Date, now: Date) {
        guard expires.timeIntervalSince(now) < Self.noticeDays(role) * 86_400 else { return nil }
        self.init(
            .expiry, time: now, actor: "system:renewal", subject: "the signature of \(role)",
            detail:
                "it \(expires <= now ? "expired" : "expires") at \(WireTime.text(expires)), and devices refuse what the registry "
                + "says from then on: see packtool renew and packtool keys")
    }

    /// The bytes that are sent.
    /// - Parameter id: the delivery's, the same in each attempt.
    package func body(_ format: Webhook.Format, id: String, app: String) -> [UInt8] {
        let json: JSONObject =
            switch format {
            case .json:
                [
                    "format": .integer(Self.currentFormat), "id": .string(id), "event": .string(kind.rawValue),
                    "app": .string(app), "time": .string(WireTime.text(time)), "actor": .string(actor),
                    "subject": .string(subject), "detail": .string(detail),
                ]
            case .slack: ["text": .string(text(app))]
            }
        return JSONValue.object(json).canonicalBytes
    }

    private func text(_ app: String) -> String {
        let tail = detail.isEmpty ? "" : ": \(Self.plain(detail))"
        return "*\(title)* \(Self.plain(app)): \(Self.plain(subject))\(tail) (by \(Self.plain(actor)))"
    }

    private var title: String {
        switch kind {
        case .release: "Release"
        case .halt: "HALTED"
        case .advance: "Rollout"
        case .complete: "Complete"
        case .rollback: "Rolled back"
        case .withdraw: "WITHDRAWN"
        case .approval: "Approval wanted"
        case .expiry: "EXPIRES"
        case .test: "Trial"
        }
    }

    /// Notes and names are other people's: nothing of them may mention somebody or be a link.
    /// Source: Slack, "Formatting text for app surfaces", escaping.
    private static func plain(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("*", with: "∗").replacing("\n", with: " ")
    }
}
