import ArgumentParser
import Foundation
import PackBuilder
import PackFormat
import PackJSON
import PackRegistry

/// `packtool publish`: sends packages to the registry, signs them, and offers them on a channel.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish packages and offer them on a channel.",
        discussion: """
            Without arguments it takes ./packages: of each package the highest version there.
            Of several versions of a package it offers the highest. A release that is
            offered already keeps its share of devices, unless --rollout gives a larger
            one; a new release is for everyone, unless --rollout says otherwise.

            A version that somebody rolled the channel back from is not offered once
            more, as by a CI job that runs again, but with --again. A version below one that the
            channel offers takes devices back: the command asks first, or takes --yes. So it
            does without any channel, when no device would be offered what it publishes.

            The registry is made by packtool init, never here.

            Shared bundles are published first, whatever the order of the arguments. A
            version that is there with the same content is left as it is, so the
            command can be repeated after an interruption.

            Devices can install what was published when its line is printed. After that,
            in a registry folder that no server has, the command makes patches and smaller
            downloads; with --no-wait that is left to the next command that changes the
            registry, or to its server.
            """)

    @Argument(help: ArgumentHelp("The packages to publish (default: the newest in ./packages).", valueName: "ZIP"))
    var zips: [String] = []

    @Option(help: ArgumentHelp("The channel that offers them (default: the configuration's).", valueName: "NAME"))
    var channel: ChannelName?

    @Flag(name: .customLong("no-wait"), help: "Do not wait until patches are made.")
    var noWait = false

    @OptionGroup var offer: OfferOptions
    @OptionGroup var registry: RegistryOptions
    @OptionGroup var options: GlobalOptions

    private struct Offered {
        let package: PackageID
        let version: SemanticVersion
        let channel: ChannelName
        let outcome: ChannelOutcome
    }

    func run() async throws {
        let console = options.console
        let rollout = try offer.share()
        // Every zip is judged before a byte is sent.
        let packages = zips.isEmpty ? try PackageSelection(files()).newest() : try PackageSelection(files())
        let session = try RegistrySession(registry, console: console)
        let channel = channel ?? session.configuration?.channel
        let consents = try await consents(to: packages, on: channel, session)
        let publisher = try await session.publisher(console: console)
        let line = ProgressLine(console)
        let published = try await publisher.publish(packages) { manifest in
            line.show("publishing \(manifest.package) \(manifest.version)")
        }
        line.clear()
        var offered: [Offered] = []
        if let channel {
            let highest = packages.highestVersions
            for entry in published where highest[entry.manifest.package] == entry.manifest.version {
                let manifest = entry.manifest
                let outcome = try await session.registry.change(
                    .offer(manifest.version, rollout, consent: consents), of: manifest.package, on: channel)
                offered.append(
                    Offered(
                        package: manifest.package, version: manifest.version, channel: channel, outcome: outcome))
            }
            // A misspelt name makes one.
            if offered.contains(where: \.outcome.isNewChannel) { console.note("the channel \(channel) is new") }
            for entry in offered {
                let share = entry.outcome.releases.first?.rollout.percent ?? 0
                guard let rollout, rollout.percent < share else { continue }
                console.note(
                    "\(channel) offers \(entry.package) \(entry.version) to \(share) % already and keeps that: packtool "
                        + "rollout lowers a share")
            }
        } else {
            console.note("published and not offered to any device: to offer it, publish again with --channel NAME")
        }
        console.result(text(published, offered), json: json(published, offered))
        // Whoever reads from a pipe is not to wait for the patches.
        fflush(nil)
        guard !noWait else { return }
        if let local = session.local, !local.isServed {
            console.note(
                (offered.isEmpty ? "" : "Devices can install this now. ")
                    + "Making patches and smaller downloads for them; Ctrl-C is safe, the next command or a server goes on with them")
        }
        await session.finish(console: console)
    }

    /// Asks before anything is sent, where devices would go back, or would be offered nothing.
    private func consents(
        to packages: PackageSelection, on channel: ChannelName?, _ session: RegistrySession
    ) async throws -> OfferConsent {
        let pages = packages.manifests.filter { packages.highestVersions[$0.package] == $0.version }
        guard let channel else {
            guard !pages.isEmpty else { return [] }
            let names = pages.map { "\($0.package) \($0.version)" }.joined(separator: ", ")
            try offer.consent.require(
                "No channel is given, and \(PackConfiguration.fileName) names none: no device would be offered \(names). "
                    + "To offer: --channel NAME.", options)
            return []
        }
        let channels = try await session.registry.overview().channels
        let older = pages.compactMap { manifest -> String? in
            let present = channels[channel]?[manifest.package] ?? []
            guard let back = OlderOffer(of: manifest.version, requiredApp: manifest.requiredApp, among: present) else {
                return nil
            }
            return "\(channel) offers \(manifest.package) \(ReleaseText.text(present)). \(manifest.version) is older than "
                + "\(back.newer): offering it takes devices back."
        }
        if !older.isEmpty { try offer.consent.require(older.joined(separator: "\n"), options) }
        return offer.consent(isOlder: !older.isEmpty)
    }

    private func files() throws -> [URL] {
        if !zips.isEmpty {
            return try zips.map { path in
                guard FileManager.default.fileExists(atPath: path) else {
                    throw CommandFailure("there is no file \(path): build it with packtool build")
                }
                return URL(filePath: path)
            }
        }
        let folder = try (CurrentProject().configuration ?? PackConfiguration()).outFolder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let found = names.filter { $0.hasSuffix(".zip") }.sorted().map { folder.appending(path: $0) }
        guard !found.isEmpty else {
            throw CommandFailure(
                "there are no packages in \(folder.relativePath): build some, or name the zips to publish")
        }
        return found
    }

    private func text(_ published: [Publisher.Published], _ offered: [Offered]) -> String {
        let first = published.map { entry in
            let name = "\(entry.manifest.package) \(entry.manifest.version)"
            return switch entry.outcome {
            case .published:
                "published  \(name)  \(entry.sentCount) of \(entry.manifest.ownObjects.count) files sent, "
                    + ByteCount.text(entry.sentSize)
            case .unchanged: "unchanged  \(name)"
            }
        }
        let second = offered.map { entry in
            let percent = entry.outcome.releases.first?.rollout.percent ?? 0
            return "\(entry.outcome.isChanged ? "offered  " : "unchanged")  \(entry.package) \(entry.version) on "
                + "\(entry.channel) to \(percent) % of devices"
        }
        return (first + second).joined(separator: "\n")
    }

    private func json(_ published: [Publisher.Published], _ offered: [Offered]) -> JSONValue {
        .object([
            "published": .array(
                published.map { entry in
                    .object([
                        "package": .string(entry.manifest.package.text),
                        "version": .string(entry.manifest.version.description),
                        "manifest": .string(entry.manifest.digest.hex),
                        "changed": .bool(entry.outcome == .published), "sentFiles": .integer(entry.sentCount),
                        "sentSize": .integer(entry.sentSize),
                    ])
                }),
            "offered": .array(
                offered.map { entry in
                    .object(ReleaseText.json(entry.package, entry.channel, entry.outcome))
                }),
        ])
    }
}
