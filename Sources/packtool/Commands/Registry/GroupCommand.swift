import ArgumentParser
import Foundation
import PackFormat
import PackJSON
import PackRegistryAPI

/// `packtool group`: named groups of devices, for `--audience "group=NAME"`.
struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Show or change the groups of devices that a channel's releases may be for.",
        subcommands: [Set.self, Remove.self, List.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Make a group, or replace one.",
            discussion: HelpText.flowing(
                """
                The file has a device id in each line, as the app gives it to its updater
                (UpdaterConfiguration.deviceID, client --device). Only salted hashes leave this
                machine. Devices fetch the group only if a release names it:

                packtool rollout shop --channel beta --audience "group=testers"

                At most 50,000 devices: for more give them a tag (tag.NAME=VALUE).
                """))

        @Argument(help: "The group's name.")
        var name: String

        @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
        var channel: ChannelName

        @Option(help: ArgumentHelp("The device ids, one a line.", valueName: "FILE"))
        var file: String

        @OptionGroup var proposal: ProposalOptions
        @OptionGroup var registry: RegistryOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let ids = try Self.ids(file)
            let salt = (0..<4).map { _ in UInt32.random(in: .min ... .max) }.map { number in
                let hex = String(number, radix: 16)
                return String(repeating: "0", count: 8 - hex.count) + hex
            }.joined()
            let group: DeviceGroup
            do {
                // Before as many hashes are made.
                guard ids.count <= DeviceGroup.maximumDeviceCount else {
                    throw FormatError.invalidGroup(
                        name,
                        reason:
                            "it has \(CountText.text(ids.count, "device")) and a group has at most \(CountText.number(DeviceGroup.maximumDeviceCount)), because "
                            + "devices fetch all of it: give those devices a tag (tag.NAME=VALUE)")
                }
                group = try DeviceGroup(
                    name: name, salt: salt, devices: Swift.Set(ids.map { DeviceGroup.hash(of: $0, salt: salt) }))
            } catch {
                throw CommandFailure("\(file): \(error)")
            }
            let session = try await RegistrySession(registry, console: options.console)
            try await ChannelSettingText.change(
                .group(group), on: channel,
                "\(channel): the group \(name) has \(CountText.text(ids.count, "device"))" + leaving(session), proposal,
                session, options)
        }

        /// What it means for devices that were in the group before and are not in it any more.
        private func leaving(_ session: RegistrySession) async throws -> String {
            guard let file = try await session.registry.channelFile(channel, at: nil), file.groups[name] != nil else {
                return ""
            }
            let users = file.releases(for: name).map { user in
                "\(user.package) \(user.release.version?.description ?? "embedded") (\(user.release.rollout.text))"
            }
            guard !users.isEmpty else { return "" }
            return
                ". At their next check devices that come into it get the releases that are for it, and those that are no longer in "
                + "it leave them: \(users.joined(separator: ", "))"
        }

        private static func ids(_ path: String) throws -> Swift.Set<String> {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure("the file \(path) cannot be read")
            }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw CommandFailure("\(path) is not text in UTF-8")
            }
            var ids: Swift.Set<String> = []
            for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                let id = line.trimmingCharacters(in: .whitespaces.union(.controlCharacters))
                guard id.utf8.count <= 256 else {
                    throw CommandFailure("\(path), line \(index + 1): a device id has at most 256 bytes")
                }
                guard !id.contains(where: \.isWhitespace) else {
                    throw CommandFailure(
                        "\(path), line \(index + 1): a device id has no spaces: write one id a line")
                }
                if !id.isEmpty { ids.insert(id) }
            }
            guard !ids.isEmpty else { throw CommandFailure("\(path) has no device id: write one id a line") }
            return ids
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a group that no release is for.")

        @Argument(help: "The group's name.")
        var name: String

        @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
        var channel: ChannelName

        @OptionGroup var proposal: ProposalOptions
        @OptionGroup var registry: RegistryOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let session = try await RegistrySession(registry, console: options.console)
            try await ChannelSettingText.change(
                .removeGroup(name), on: channel, "\(channel): the group \(name) is removed", proposal, session, options)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List a channel's groups.")

        @Option(help: ArgumentHelp("The channel.", valueName: "NAME"))
        var channel: ChannelName

        @OptionGroup var registry: RegistryOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let session = try await RegistrySession(registry, console: options.console)
            let groups = try await ChannelSettingText.settings(of: channel, session).groups.sorted { $0.key < $1.key }
            options.console.result(
                groups.isEmpty
                    ? "\(channel) has no groups"
                    : groups.map { "\($0.key)  \(CountText.text($0.value, "device"))" }.joined(separator: "\n"),
                json: .object([
                    "channel": .string(channel.text),
                    "groups": .object(JSONObject(groups.map { ($0.key, .integer($0.value)) })),
                ]))
        }
    }
}
