import ArgumentParser
import PackFormat
import PackJSON
import PackRegistryAPI

/// How commands change and show what a channel tells its devices beside releases.
enum ChannelSettingText {
    /// - Parameter pages: what devices show of the packages whose gates are off.
    static func lines(
        _ settings: ChannelSettings, of channel: ChannelName, pages: [PackageID: OnlinePages]
    ) -> [String] {
        var lines = settings.gatesOff.map { package in
            "\(channel) has the gate of \(package) off\(pages[package].map { ": \($0.text)" } ?? "")"
        }
        if let poll = settings.poll { lines.append("\(channel) asks devices to look \(poll.text)") }
        lines += settings.groups.sorted { $0.key < $1.key }.map {
            "\(channel) has the group \($0.key) of \(CountText.text($0.value, "device"))"
        }
        if let rules = settings.rules {
            lines.append("\(channel) has \(CountText.text(rules.rules.count, "web rule"))")
        }
        return lines
    }

    /// Makes a change, prints the sentence, and ends with code 2 if the channel said just that before.
    static func change(
        _ setting: ChannelSetting, on channel: ChannelName, _ sentence: String, _ proposal: ProposalOptions?,
        _ session: RegistrySession, _ options: GlobalOptions
    ) async throws {
        if let proposal, proposal.isGiven {
            return try await ChangeText.propose(
                .setting(setting), on: channel, proposal.schedule, reason: proposal.reason, session, options)
        }
        let outcome = try await session.registry.change(setting, on: channel)
        options.console.result(
            sentence,
            json: .object([
                "channel": .string(channel.text), "changed": .bool(outcome.isChanged),
                "settings": .object(outcome.settings.json),
            ]))
        if !outcome.isChanged {
            options.console.note("nothing to do: it is so already")
            throw ExitCode.nothingToDo
        }
        await session.finish(console: options.console)
    }

    /// Reads what devices show of the packages whose gates are off on a channel.
    static func pages(
        _ overview: RegistryOverview, on channel: ChannelName, _ session: RegistrySession
    ) async -> [PackageID: OnlinePages] {
        var pages: [PackageID: OnlinePages] = [:]
        for package in overview.settings[channel]?.gatesOff ?? [] {
            pages[package] = await OnlinePages(
                of: package, overview.channels[channel]?[package] ?? [], in: session.registry)
        }
        return pages
    }

    /// What a channel tells its devices; for commands that only show it.
    static func settings(of channel: ChannelName, _ session: RegistrySession) async throws -> ChannelSettings {
        let overview = try await session.registry.overview(of: [])
        try NameCheck.require(channel, in: overview)
        return overview.settings[channel] ?? ChannelSettings()
    }
}

/// Seconds as people write them: `90`, `90s`, `15m`, `6h`, `2d`.
struct PollChoice {
    /// nil: as the apps have it.
    let interval: PollInterval?

    init(_ text: String) throws {
        interval = try text == "app" ? nil : PollInterval(text)
    }
}

struct PollInterval {
    let seconds: Int

    init(_ text: String) throws {
        let units = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        let unit = text.last.flatMap { units[String($0)] }
        guard let number = Int(unit == nil ? text[...] : text.dropLast()), (0...1_000_000).contains(number) else {
            throw ValidationError("\"\(text)\" is no time: say 90s, 15m, 6h or 2d")
        }
        seconds = number * (unit ?? 1)
    }
}
