import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistryAPI
import PackRegistryLocal

/// `packtool status`: shows the versions in the registry and the releases on its channels.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is published and what channels offer.",
        discussion: HelpText.flowing(
            """
            With --watch: on the whole terminal, looked at again every few seconds, with the
            rollouts that go on, what devices report (if the token may observe), and what
            changed meanwhile. q or Ctrl-C ends it.
            """))

    @Argument(help: "One package only.")
    var package: PackageID?

    @Option(help: ArgumentHelp("One channel only.", valueName: "NAME"))
    var channel: ChannelName?

    @Flag(help: "Keep showing it, on the whole terminal.")
    var watch = false

    @Option(help: ArgumentHelp("With --watch, seconds between two looks, 1 to 3600.", valueName: "SECONDS"))
    var interval = 5

    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...3600).contains(interval) else { throw ValidationError("--interval is a number from 1 to 3600") }
        guard !watch || !options.json else {
            throw ValidationError(
                "--watch draws on a terminal: leave out --json, or run packtool status --json from time to time")
        }
    }

    func run() async throws {
        let session = try await RegistrySession(registry, console: options.console)
        if watch {
            return try await StatusWatch(
                registry: session.registry, place: "\(session.location)", package: package, channel: channel,
                interval: interval
            ).run()
        }
        let all = try await session.registry.overview()
        if let channel { try NameCheck.require(channel, in: all) }
        if let package { try NameCheck.require(package, in: all) }
        let overview = selected(all)
        var pages: [ChannelName: [PackageID: OnlinePages]] = [:]
        for channel in overview.settings.keys {
            pages[channel] = await ChannelSettingText.pages(all, on: channel, session)
        }
        let open = try await openChanges(session)
        let halted = await haltedReleases(overview, session)
        var json = overview.json
        json["openChanges"] = open.map { .integer($0) }
        json["halted"] = .array(halted.sorted().map { .string($0) })
        options.console.result(
            ([text(overview, pages, halted)] + lines(openChanges: open)).joined(separator: "\n"), json: .object(json))
        // Reading writes nothing: whoever relies on this command in a cron job has to know.
        if let local = session.local, await !local.isServed(), try await !local.dueRoles().isEmpty {
            options.console.note(
                "warning: signatures of this registry expire soon, and then devices refuse it: run packtool renew"
            )
        }
    }

    /// How many proposed changes of what is shown wait for approvals or for their time; nil if the token may see none.
    private func openChanges(_ session: RegistrySession) async throws -> Int? {
        let open: [ProposedChange]
        do { open = try await session.registry.changes(.open).changes } catch let error as RegistryError
            where [.forbidden, .unauthorized, .notFound].contains(error.kind)
        { return nil }
        return open.filter { change in
            (channel == nil || change.proposal.channel == channel)
                && (package.map { change.proposal.action.packages.contains($0) } ?? true)
        }.count
    }

    /// The ids of releases whose rollout is halted. None if that cannot be known: the rest of the answer does not depend on it.
    private func haltedReleases(_ shown: RegistryOverview, _ session: RegistrySession) async -> Set<String> {
        var halted: Set<String> = []
        let partial = shown.channels.values.flatMap { packages in
            packages.filter { $0.value.first?.rollout.reachesEveryone == false }.map(\.key)
        }
        for package in Set(partial) {
            let rollouts = (try? await session.registry.rollouts(of: package)) ?? []
            halted.formUnion(
                rollouts.filter { $0.state == .halted && (channel == nil || $0.channel == channel) }.map(\.release))
        }
        return halted
    }

    private func lines(openChanges count: Int?) -> [String] {
        guard let count, count > 0 else { return [] }
        return ["\(CountText.text(count, "proposed change")) \(count == 1 ? "is" : "are") open: packtool changes"]
    }

    private func selected(_ overview: RegistryOverview) -> RegistryOverview {
        let offered = channel.flatMap { overview.channels[$0] }
        return RegistryOverview(
            app: overview.app,
            versions: overview.versions.filter { package == nil || $0.key == package }.compactMapValues { versions in
                guard channel != nil else { return versions }
                let shown = versions.filter { version in
                    offered?.values.joined().contains {
                        $0.offer == .version(version.version, manifest: version.manifest)
                    } ?? false
                }
                return shown.isEmpty ? nil : shown
            },
            channels: overview.channels.filter { channel == nil || $0.key == channel }.mapValues { packages in
                packages.filter { package == nil || $0.key == package }
            }, settings: overview.settings.filter { channel == nil || $0.key == channel },
            approvals: overview.approvals.filter { channel == nil || $0.key == channel },
            rollbacks: overview.rollbacks.filter { channel == nil || $0.key == channel }.mapValues { packages in
                packages.filter { package == nil || $0.key == package }
            })
    }

    private func text(
        _ overview: RegistryOverview, _ pages: [ChannelName: [PackageID: OnlinePages]], _ halted: Set<String>
    ) -> String {
        var rows = [["PACKAGE", "VERSION", "PUBLISHED", "FILES", "SIZE", "DOWNLOAD", "OFFERED ON"]]
        // By the number of the day: a large registry has a hundred thousand versions, and far fewer days.
        var days: [Int: String] = [:]
        for (package, versions) in overview.versions.sorted(by: { $0.key < $1.key }) {
            for version in versions {
                let number = Int((version.published.timeIntervalSince1970 / 86_400).rounded(.down))
                let day = days[number] ?? String(WireTime.text(version.published).prefix(10))
                days[number] = day
                rows.append([
                    package.text, version.version.description, day, String(version.fileCount),
                    ByteCount.text(version.size),
                    version.fullSize.map { ByteCount.text($0) } ?? (version.pruned == nil ? "not made yet" : "-"),
                    version.withdrawn.map { "withdrawn: \($0)" }
                        ?? version.pruned.map { _ in "files removed" }
                        ?? offers(of: version, package, in: overview, halted).joined(separator: ", "),
                ])
            }
        }
        var lines = ["app \(overview.app)"]
        let nothing = channel.map { "nothing is offered on \($0)" + (package.map { " of \($0)" } ?? "") }
        lines += rows.count == 1 ? [nothing ?? "nothing is published yet"] : TextTable.lines(rows)
        for (package, versions) in overview.versions.sorted(by: { $0.key < $1.key }) {
            for version in versions {
                let parts = [version.note.commit.map { "commit \($0.prefix(12))" }, version.note.text].compactMap(
                    \.self)
                if !parts.isEmpty { lines.append("\(package) \(version.version): \(parts.joined(separator: ", "))") }
            }
        }
        for (channel, packages) in overview.channels.sorted(by: { $0.key < $1.key }) {
            for (package, releases) in packages.sorted(by: { $0.key < $1.key })
            where releases.first?.offer == .embedded {
                lines.append("\(channel) offers \(package) as the app embeds it")
            }
        }
        for (channel, settings) in overview.settings.sorted(by: { $0.key < $1.key }) {
            lines += ChannelSettingText.lines(settings, of: channel, pages: pages[channel] ?? [:])
        }
        for (channel, packages) in overview.rollbacks.sorted(by: { $0.key < $1.key }) {
            lines += packages.sorted { $0.key < $1.key }.map { text($1, of: $0, on: channel) }
        }
        lines += overview.approvals.sorted { $0.key < $1.key }.map { ApprovalWords.required($1, on: $0) }
        return lines.joined(separator: "\n")
    }

    private func text(_ way: RegistryOverview.Rollback, of package: PackageID, on channel: ChannelName) -> String {
        let (from, to) = (way.from?.description ?? "what the app embeds", way.to?.description ?? "what the app embeds")
        return "\(channel) went back from \(package) \(from) to \(to), \(way.time.formatted(.iso8601)) by \(way.by)"
            + (way.reason.isEmpty ? "" : ": \(way.reason)")
    }

    private func offers(
        of version: RegistryOverview.Version, _ package: PackageID, in overview: RegistryOverview, _ halted: Set<String>
    ) -> [String] {
        overview.channels.sorted { $0.key < $1.key }.compactMap { channel, packages in
            let release = packages[package]?.first {
                $0.offer == .version(version.version, manifest: version.manifest)
            }
            return release.map { release in
                let share = release.rollout.reachesEveryone ? channel.text : "\(channel) \(release.rollout.text)"
                let policy = release.policy == .standard ? "" : " (\(release.policy.text))"
                return share + policy + (release.set.map { " in \($0)" } ?? "")
                    + (halted.contains(release.id) ? " (halted)" : "")
            }
        }
    }
}
