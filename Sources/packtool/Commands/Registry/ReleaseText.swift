import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// The form in which commands show what a channel offers.
enum ReleaseText {
    static func text(_ release: Release) -> String {
        let offer = release.version?.description ?? "embedded"
        let conditions = [
            release.rollout.reachesEveryone ? "" : release.rollout.text, release.policy.text,
        ].filter { !$0.isEmpty }
        return conditions.isEmpty ? offer : "\(offer) (\(conditions.joined(separator: "; ")))"
    }

    /// Such as `, mandatory`; empty for none.
    static func policy(_ release: Release) -> String {
        release.policy == .standard ? "" : ", \(release.policy.text)"
    }

    static func text(_ releases: [Release]) -> String {
        releases.isEmpty ? "nothing" : releases.map(text).joined(separator: ", then ")
    }

    /// The version that is offered first: `1.1.0`, or `what the app embeds`.
    static func newest(_ releases: [Release]?) -> String {
        guard let release = releases?.first else { return "nothing" }
        return release.version?.description ?? "what the app embeds"
    }

    /// What devices do that no longer get a release, as the end of a sentence about them.
    static func fallback(_ release: Release?) -> String {
        guard let release else { return "keep the version that they run, because no other release is left" }
        return "go back to \(release.version?.description ?? "what the app embeds")"
    }

    /// The same, where several releases are left: each device goes to the newest one that admits it.
    /// - Parameter releases: what is left beneath, newest first.
    static func fallback(_ releases: [Release]) -> String {
        guard let first = releases.first, !first.rollout.reachesEveryone else { return fallback(releases.first) }
        let names = releases.map { release in
            let name = release.version?.description ?? "what the app embeds"
            return release.rollout.reachesEveryone ? name : "\(name) (\(release.rollout.devicesText))"
        }
        let isForAll = releases.contains(where: \.rollout.reachesEveryone)
        return "go back to the newest release that admits them: " + names.joined(separator: ", then ")
            + (isForAll ? "" : "; the others keep the version that they run")
    }

    /// The other packages of a release's set, with what the set offers of each: `admin 1.1.0, news 2.0.0`.
    /// - Returns: nil for a release of no set, or if nothing else of the set is offered.
    static func companions(
        of release: Release?, _ package: PackageID, among packages: [PackageID: [Release]]
    ) -> String? {
        guard let set = release?.set else { return nil }
        let others = packages.sorted { $0.key < $1.key }.compactMap { other, releases -> String? in
            guard other != package, let own = releases.first(where: { $0.set == set }) else { return nil }
            return "\(other) \(own.version?.description ?? "embedded")"
        }
        return others.isEmpty ? nil : others.joined(separator: ", ")
    }

    /// The note where a channel offers just what was asked for, or more: a release never takes from devices what they have.
    static func unchanged(
        _ releases: [Release], wanted: Rollout?, of package: PackageID, on channel: ChannelName
    ) -> String {
        let text = "nothing to do: the channel offers that already"
        guard let newest = releases.first, let version = newest.version, let wanted,
            wanted.share < newest.rollout.share
        else { return text }
        return text + ", and it keeps its share of \(newest.rollout.share). To take it from devices: packtool rollout "
            + "\(package)@\(version) --channel \(channel) --percent \(wanted.share.percentText)"
    }

    static func json(_ package: PackageID, _ channel: ChannelName, _ outcome: ChannelOutcome) -> JSONObject {
        var json: JSONObject = [
            "package": .string(package.text), "channel": .string(channel.text), "changed": .bool(outcome.isChanged),
            "releases": .array(outcome.releases.map { .object($0.json) }),
        ]
        if !outcome.effect.isEmpty { json["effect"] = .string(outcome.effect) }
        if outcome.approvals > 0 { json["approvals"] = .integer(outcome.approvals) }
        if !outcome.planNotes.isEmpty { json["planNotes"] = .array(outcome.planNotes.map { .string($0) }) }
        if !outcome.others.isEmpty {
            json["others"] = .object(
                JSONObject(outcome.others.map { ($0.key.text, .array($0.value.map { .object($0.json) })) }))
        }
        return json
    }

    /// Makes a change, prints what the channel offers now, and ends with code 2 where it offered just that before.
    /// - Parameters:
    ///   - before: what it offered.
    ///   - all: what it offered of other packages, where some of them may keep it.
    ///   - proposal: says whether the change is proposed instead; nil: it is made.
    ///   - isDryRun: says what would change, and changes nothing.
    ///   - emergency: what a dry run says of approvals goes by it where there is no proposal.
    static func change(
        _ change: ChannelChange, of package: PackageID, on channel: ChannelName, before: [Release],
        among all: [PackageID: [Release]] = [:], _ proposal: ProposalOptions?, isDryRun: Bool = false,
        emergency: EmergencyOptions? = nil,
        _ session: RegistrySession, _ options: GlobalOptions
    ) async throws {
        if isDryRun {
            let outcome = try await session.registry.preview(change, of: package, on: channel, assuming: [])
            var json = json(package, channel, outcome)
            json["dryRun"] = true
            let approval = ChangeText.approval(
                outcome.approvals, on: channel, proposal?.schedule ?? emergency?.schedule,
                isEmergency: emergency?.emergency ?? false
            ).map { "\n\($0)" }
            options.console.result(
                outcome.isChanged
                    ? ([outcome.effect] + outcome.planNotes).joined(separator: "\n") + (approval ?? "")
                    : "\(channel) offers \(package) \(text(outcome.releases)) already",
                json: .object(json))
            guard outcome.isChanged else { throw ExitCode.nothingToDo }
            return
        }
        if let proposal, proposal.isGiven {
            return try await ChangeText.propose(
                .release(change, of: package), on: channel, proposal.schedule, reason: proposal.reason, session, options
            )
        }
        let outcome = try await session.registry.change(change, of: package, on: channel)
        let replaced = outcome.isChanged && !before.isEmpty ? " (before: \(text(before)))" : ""
        let set = outcome.releases.first { $0.set != nil }?.set
        let others = outcome.others.sorted { $0.key < $1.key }.map { other, releases in
            if let kept = all[other]?.first, kept.id == releases.first?.id {
                return "\n\(channel) still offers \(other) \(text(releases)), which is newer than the set"
            }
            let isMember = set != nil && releases.contains { $0.set == set }
            return "\n\(channel) offers \(other) \(text(releases)), for it \(isMember ? "is" : "was") in the same set"
        }.joined()
        let notes = outcome.planNotes.map { "\n\($0)" }.joined()
        options.console.result(
            "\(channel) offers \(package) \(text(outcome.releases))\(replaced)\(others)\(notes)",
            json: .object(json(package, channel, outcome)))
        if !outcome.isChanged {
            let wanted: Rollout? =
                switch change.plain {
                case .offer(_, let rollout, _, _): rollout
                case .promote(_, _, let rollout, _, _): rollout
                default: nil
                }
            options.console.note(unchanged(outcome.releases, wanted: wanted, of: package, on: channel))
            throw ExitCode.nothingToDo
        }
        await session.finish(console: options.console)
    }
}
