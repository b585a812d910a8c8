import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI
import PackRegistryLocal

/// How commands show proposed changes, and propose one.
enum ChangeText {
    /// `1 of 2 approvals`.
    private static func count(_ change: ProposedChange) -> String {
        "\(change.approvalCount) of \(change.needed) approval\(change.needed == 1 ? "" : "s")"
    }

    /// What a change waits for, or what became of it.
    static func state(_ change: ProposedChange) -> String {
        let end = change.end.map { " \($0.time.formatted(.iso8601)) by \($0.by)" } ?? ""
        let text = change.end.map(\.text) ?? ""
        return switch change.state {
        case .waiting: "waiting for approval: it has \(count(change))"
        case .scheduled:
            (change.needed > 0 ? "approved, " : "needs no approval, ")
                + (change.proposal.time.map { "to be made at \($0.formatted(.iso8601))" }
                    ?? "to be made with the next look of a runner")
        case .executed: "made\(end)"
        case .rejected: "rejected\(end)\(text.isEmpty ? "" : ": \(text)")"
        case .expired: "expired \(change.expires.formatted(.iso8601))"
        case .failed: "could not be made\(end): \(text)"
        }
    }

    static func text(_ change: ProposedChange) -> String {
        let proposal = change.proposal
        var lines = ["change \(change.id) on \(proposal.channel): \(proposal.action.summary)"]
        lines += change.effect.filter { !$0.hasSuffix(proposal.action.summary) }.map { "  \($0)" }
        lines += change.notes.map { "  attention: \($0)" }
        lines += plan(change).map { "  \($0)" }
        let reason = proposal.reason.isEmpty ? "" : ": \(proposal.reason)"
        lines.append("  proposed \(change.proposed.formatted(.iso8601)) by \(change.proposer)\(reason)")
        lines += change.approvals.map {
            "  approved \($0.time.formatted(.iso8601)) by \($0.by)\($0.isRevoked ? ", whose token was revoked since" : "")"
        }
        lines.append("  \(state(change))")
        if change.state == .waiting, let time = proposal.time {
            lines.append("  to be made at \(time.formatted(.iso8601)), if it is approved")
        }
        if change.state.isOpen { lines.append("  expires \(change.expires.formatted(.iso8601))") }
        return lines.joined(separator: "\n")
    }

    /// The plan that a change is about, in the words of a dry run, or why the change cannot be made; empty if it is about none.
    private static func plan(_ change: ProposedChange) -> [String] {
        if let preview = change.preview, !preview.isChanged { return ["it cannot be made as it is: \(preview.effect)"] }
        guard case .rollout(let request, _) = change.proposal.action else { return [] }
        if let preview = change.preview, let status = preview.status, let words = PlanWords(preview) {
            let moment = change.proposal.time == nil ? "now" : "at its time"
            return ["if it is made \(moment):", RolloutText.next(status)] + RolloutText.plan(words)
        }
        // It is over, or cannot be made now: the plan has no dates.
        guard case .plan(let plan, let audiences, _) = request.verb else { return [] }
        return RolloutText.plan(PlanWords(plan, audiences: audiences))
    }

    /// What a dry run says of the approvals that a change needs; nil if it needs none.
    static func approval(
        _ count: Int, on channel: ChannelName, _ schedule: ScheduleOptions?, isEmergency: Bool = false
    ) -> String? {
        guard count > 0 else { return nil }
        let required = ApprovalWords.required(count, on: channel)
        if isEmergency { return "\(required): in an emergency it is made without, and the audit log says so" }
        guard schedule?.isGiven ?? false else { return "\(required): \(ApprovalWords.proposing)" }
        return "\(required): it would be proposed, and made once "
            + "\(count == 1 ? "somebody else approves" : "\(count) others approve") it (packtool changes)"
    }

    /// Proposes a change, and prints what became of it.
    static func propose(
        _ action: ProposedAction, on channel: ChannelName, _ schedule: ScheduleOptions, reason: String?,
        isEmergency: Bool = false, _ session: RegistrySession, _ options: GlobalOptions
    ) async throws {
        let outcome = try await session.registry.propose(
            ChangeProposal(
                action, on: channel, reason: reason ?? "", at: schedule.at, expires: schedule.expires,
                isEmergency: isEmergency))
        try await show(outcome, unchanged: proposedAlready(outcome.change), session, options)
    }

    /// What is said of a proposal that is there already.
    static func proposedAlready(_ change: ProposedChange) -> String {
        "nothing to do: change \(change.id) proposes that already"
    }

    /// Prints an outcome.
    /// - Throws: where the change was approved and could not be made.
    static func show(
        _ outcome: ChangeOutcome, unchanged: String = "nothing to do: it was so before", _ session: RegistrySession,
        _ options: GlobalOptions
    ) async throws {
        let change = outcome.change
        options.console.result(text(change), json: .object(outcome.json))
        switch change.state {
        case .failed: throw ExitCode.failed
        case .waiting: options.console.note("Somebody else approves it with:  packtool changes approve \(change.id)")
        case .executed: await session.finish(console: options.console)
        case .scheduled:
            if let local = session.local, await !local.isServed() {
                options.console.note(
                    "No server has this registry: packtool serve makes the change, or packtool rollout run, once in a while."
                )
            }
        case .rejected, .expired: break
        }
        if !outcome.isChanged {
            options.console.note(unchanged)
            throw ExitCode.nothingToDo
        }
    }
}
