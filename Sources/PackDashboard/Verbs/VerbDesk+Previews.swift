import PackFormat
import PackRegistryAPI

extension VerbDesk {
    func rollout(
        _ verb: DashboardVerb, _ word: DashboardVerb.Word, _ package: PackageID, _ channel: ChannelName,
        _ version: SemanticVersion
    ) async throws -> VerbPreview {
        let facts = try await facts(package, channel)
        let step = word == .advance ? facts.rollout?.nextStepNumber : nil
        let outcome = try await registry.rollout(
            RolloutRequest(Self.verb(word, to: step), of: version, isDryRun: true), of: package, on: channel)
        var effects = ["The registry says: \(outcome.effect)."]
        if outcome.before != outcome.after, word != .rollback {
            effects.append("The share goes from \(outcome.before) to \(outcome.after).")
        }
        switch word {
        case .halt, .pause: effects.append("Devices that have \(version) keep it; no other device gets it.")
        case .rollback:
            effects.append(
                "Devices that have \(version) leave it. \(channel) then offers \(ReleaseWords.offer(outcome.releases))."
            )
        case .retry: effects.append("Devices on which \(version) failed try it once more.")
        case .start, .resume, .advance, .complete: break
        }
        effects += [facts.reported(version), facts.setSentence].compactMap(\.self)
        return VerbPreview(
            verb: verb, title: "\(OfferActions.name(word)) \(package) \(version) on \(channel)", effects: effects,
            state: facts.state, isPossible: outcome.isChanged, asksReason: true,
            isGrave: word == .rollback || word == .complete)
    }

    func share(
        _ verb: DashboardVerb, _ share: Share, _ package: PackageID, _ channel: ChannelName,
        _ version: SemanticVersion
    ) async throws -> VerbPreview {
        let facts = try await facts(package, channel)
        guard let index = facts.releases.firstIndex(where: { $0.version == version }) else {
            throw DashboardFault(.notFound, "\(channel) does not offer \(package) \(version).")
        }
        let before = facts.releases[index].rollout
        let after = Rollout(share: share, audiences: before.audiences)
        var effects = ["\(version) goes to \(after.devicesText), in place of \(before.share)."]
        if let plan = facts.rollout?.plan, let old = plan.deviceCount(before.share), let new = plan.deviceCount(share) {
            let change =
                new == old
                ? "\(Words.count(new, "device")), as before,"
                : "\(Words.count(abs(new - old), "device")) \(new < old ? "fewer" : "more")"
            effects.append("That is about \(change) of \(Words.count(plan.devices ?? 0)).")
        }
        let isHeld = facts.rollout?.state == .halted && share > before.share
        if isHeld {
            effects.append("It is halted: resume it before it goes to more devices, or take it back.")
        }
        if share < before.share {
            let below = facts.releases.dropFirst(index + 1).first
            effects.append(
                "Devices that are no longer in the share go to "
                    + (below.map { ReleaseWords.version($0) } ?? "what the app embeds") + ".")
        }
        effects += await planNotes(.setRollout(share, of: version), package, channel)
        effects += [facts.reported(version), facts.setSentence].compactMap(\.self)
        return VerbPreview(
            verb: verb, title: "Offer \(package) \(version) on \(channel) to \(share)", effects: effects,
            state: facts.state, isPossible: share != before.share && !isHeld, isGrave: share < before.share)
    }

    func rollBack(
        _ verb: DashboardVerb, _ package: PackageID, _ channel: ChannelName, to version: SemanticVersion?
    ) async throws -> VerbPreview {
        let facts = try await facts(package, channel)
        guard let newest = facts.releases.first else {
            throw DashboardFault(.notFound, "\(channel) offers nothing of \(package).")
        }
        let below = facts.releases.dropFirst().first { $0.version != newest.version }
        let earlier = try await registry.overview(of: []).earlier[channel]?[package]
        let target = version ?? (below ?? earlier)?.version
        guard let target else {
            throw DashboardFault(
                .notFound, "\(channel) offered no version of \(package) before \(ReleaseWords.version(newest)).")
        }
        return VerbPreview(
            verb: verb, title: "Roll \(package) on \(channel) back to \(target)",
            effects: [
                "\(target) is offered to all devices of \(channel), in place of \(ReleaseWords.offer(facts.releases)).",
                "Devices that have \(ReleaseWords.version(newest)) (\(newest.rollout.devicesText)) go to \(target).",
                facts.reported(newest.version), facts.reported(target), facts.setSentence,
            ].compactMap(\.self), state: facts.state, isGrave: true)
    }

    func rollBackToEmbedded(
        _ verb: DashboardVerb, _ package: PackageID, _ channel: ChannelName
    ) async throws -> VerbPreview {
        let facts = try await facts(package, channel)
        let newest = facts.releases.first
        return VerbPreview(
            verb: verb, title: "Roll \(package) on \(channel) back to what the app embeds",
            effects: [
                "All devices of \(channel) go to the version that their app embeds, in place of "
                    + "\(ReleaseWords.offer(facts.releases)). A device whose app embeds none keeps the version that it confirmed.",
                facts.reported(newest?.version), facts.setSentence,
            ].compactMap(\.self), state: facts.state, isPossible: newest?.offer != .embedded, isGrave: true)
    }

    func promote(
        _ verb: DashboardVerb, _ package: PackageID, _ version: SemanticVersion, _ from: ChannelName,
        _ to: ChannelName, _ share: Share
    ) async throws -> VerbPreview {
        let source = try await facts(package, from)
        let target = try await allowedTarget(package, to)
        guard let release = source.releases.first(where: { $0.version == version }) else {
            throw DashboardFault(.notFound, "\(from) does not offer \(package) \(version).")
        }
        var effects = [
            "\(to) offers \(package) \(version) to \(Rollout(share: share).devicesText). Now it offers "
                + "\(ReleaseWords.offer(target?.releases ?? [])).",
            "\(from) offers \(version) to \(release.rollout.devicesText).",
        ]
        effects += await planNotes(.promote(version, from: from, Rollout(share: share)), package, to)
        effects += [source.reported(version), target?.reported(target?.releases.first?.version), source.setSentence]
            .compactMap(\.self)
        return VerbPreview(
            verb: verb, title: "Promote \(package) \(version) from \(from) to \(to)", effects: effects,
            state: source.state + (target?.state ?? ""), isGrave: share == .whole)
    }

    /// What a change means for plans that are under way. What the registry refuses it says of the change itself.
    private func planNotes(
        _ change: ChannelChange, _ package: PackageID, _ channel: ChannelName
    ) async -> [String] {
        let notes = try? await registry.preview(change, of: package, on: channel, assuming: []).planNotes
        return (notes ?? []).map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
    }

    /// Nil for a channel that never offered the package.
    private func allowedTarget(_ package: PackageID, _ channel: ChannelName) async throws -> VerbFacts? {
        do { return try await facts(package, channel) } catch is DashboardFault { return nil }
    }

    func gate(
        _ verb: DashboardVerb, _ package: PackageID, _ channel: ChannelName, _ isOn: Bool
    ) async throws -> VerbPreview {
        let facts = try await facts(package, channel)
        let pages = await OnlinePages(of: package, facts.releases, in: registry)
        var effects =
            isOn
            ? ["From their next check on, all devices of \(channel) show the installed pages of \(package) again."]
            : [
                pages.areOnline
                    ? "From their next check and next page on, all devices of \(channel) load the pages of \(package) from its "
                        + "first origin on the web."
                    : "From their next check and next page on, this holds for all devices of \(channel): \(pages.text).",
                "What is installed stays: turning the gate on needs no download.",
            ]
        if let web = facts.stats?.web, web.local > 0 {
            effects.append(
                "In the last 30 days devices reported \(Words.count(web.local, "request")) that they answered themselves."
            )
        }
        if let reported = facts.reported(facts.releases.first?.version) { effects.append(reported) }
        return VerbPreview(
            verb: verb, title: "Turn the gate of \(package) on \(channel) \(isOn ? "on" : "off")", effects: effects,
            state: facts.state, isPossible: facts.isGateOff == isOn, isGrave: !isOn)
    }
}
