import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI
import PackRegistryLocal

/// What all words for a rollout take.
struct RolloutVerbOptions: ParsableArguments {
    @Argument(help: "The package, and the version if it is not the newest with a plan.")
    var package: PackageArgument

    @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
    var channel: ChannelName

    @Option(help: ArgumentHelp("Why, for the audit log.", valueName: "TEXT"))
    var reason: String?

    @Flag(name: .customLong("dry-run"), help: "Show what would be done, and change nothing.")
    var isDryRun = false

    @OptionGroup var state: StateOption
    @OptionGroup var emergency: EmergencyOptions
    @OptionGroup var consent: ConsentOption
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func run(_ verb: RolloutRequest.Verb) async throws {
        let session = try await RegistrySession(registry, console: options.console)
        try await RolloutVerb(
            verb: verb, package: package, channel: channel, reason: reason ?? "", isDryRun: isDryRun,
            schedule: emergency.schedule, isEmergency: emergency.emergency, isDespiteState: state.despiteState,
            consent: consent, options: options
        ).run(session)
    }
}

/// Asks a registry what a word would do, says it, and does it.
struct RolloutVerb {
    let verb: RolloutRequest.Verb
    let package: PackageArgument
    let channel: ChannelName
    let reason: String
    let isDryRun: Bool
    let schedule: ScheduleOptions
    /// Without the approvals that the channel requires.
    var isEmergency = false
    var isDespiteState = false
    let consent: ConsentOption
    let options: GlobalOptions

    func run(_ session: RegistrySession) async throws {
        let preview = try await send(verb, session, isDryRun: true)
        guard preview.isChanged else {
            options.console.result(preview.effect, json: json(preview))
            throw ExitCode.nothingToDo
        }
        if isDryRun {
            let approval = ChangeText.approval(
                preview.approvals, on: channel, schedule, isEmergency: isEmergency
            ).map { "\n\($0)" }
            options.console.result(text(preview) + (approval ?? ""), json: json(preview))
            if needsConsent(preview), !consent.yes {
                options.console.note("Without --dry-run the command asks first, or takes --yes.")
            }
            return
        }
        if needsConsent(preview) {
            try consent.require(text(preview), options)
        }
        guard !isEmergency, !schedule.isGiven else {
            return try await ChangeText.propose(
                .rollout(
                    RolloutRequest(
                        exact(preview), of: package.version, reason: reason, isDespiteState: isDespiteState),
                    of: package.package),
                on: channel, schedule, reason: reason, isEmergency: isEmergency, session, options)
        }
        let outcome = try await send(exact(preview), session, isDryRun: false)
        options.console.result(text(outcome), json: json(outcome))
        if outcome.before != outcome.after { await session.finish(console: options.console) }
        if case .plan = verb, let local = session.local, await !local.isServed() {
            options.console.note(
                "No server has this registry: packtool serve takes the steps, or packtool rollout run, once in a while."
            )
        }
    }

    private func send(
        _ verb: RolloutRequest.Verb, _ session: RegistrySession, isDryRun: Bool
    ) async throws -> RolloutOutcome {
        try await session.registry.rollout(
            RolloutRequest(
                verb, of: package.version, reason: reason, isDryRun: isDryRun, isDespiteState: isDespiteState),
            of: package.package,
            on: channel)
    }

    /// What stops a rollout must not wait for an answer.
    private func needsConsent(_ preview: RolloutOutcome) -> Bool {
        switch verb {
        case .plan, .rollBack: true
        case .pause, .halt, .retry: false
        case .start, .resume, .advance, .complete: preview.before != preview.after
        }
    }

    /// Just what was said, whatever else has happened since.
    private func exact(_ preview: RolloutOutcome) -> RolloutRequest.Verb {
        switch verb {
        case .advance(nil): .advance(to: preview.status?.stepNumber)
        case .retry(nil):
            .retry(
                generation: preview.releases.first {
                    $0.version == (package.version ?? preview.status?.version ?? preview.releases.first?.version)
                }?.retry)
        default: verb
        }
    }

    private func text(_ outcome: RolloutOutcome) -> String {
        guard let status = outcome.status else { return outcome.effect }
        if case .plan = verb, let words = PlanWords(outcome) {
            return ([outcome.effect] + RolloutText.plan(words)).joined(separator: "\n")
        }
        return "\(outcome.effect)\n\(RolloutText.next(status))"
    }

    private func json(_ outcome: RolloutOutcome) -> JSONValue {
        var json = outcome.json
        json["package"] = .string(package.package.text)
        json["channel"] = .string(channel.text)
        if isDryRun { json["dryRun"] = true }
        return .object(json)
    }
}
