import PackFormat
import PackRegistryAPI

/// Names of channels and packages that the registry does not have are mostly misspelt ones.
enum NameCheck {
    private static func hint(_ name: String, among names: [String]) -> String {
        NearName.of(name, among: names).map { ": did you mean \($0)?" } ?? ""
    }

    /// What to ask before a command makes a channel: no device looks at a misspelt one.
    /// - Returns: nil if the channel is there, or will be the registry's first.
    static func newChannelQuestion(_ channel: ChannelName, in overview: RegistryOverview) -> String? {
        let names = overview.channels.keys.map(\.text).sorted()
        guard overview.channels[channel] == nil, !names.isEmpty else { return nil }
        let near = NearName.of(channel.text, among: names).map { " Did you mean \($0)?" } ?? ""
        return "The registry has no channel \(channel) (it has: \(names.joined(separator: ", "))).\(near) "
            + "If the name is right, --new-channel makes the channel."
    }

    /// What to say of a setting for a channel that has offered nothing yet: it protects none that there is.
    /// - Returns: nil if the channel is there, or will be the registry's first.
    static func unusedChannelNote(_ channel: ChannelName, in overview: RegistryOverview) -> String? {
        let names = overview.channels.keys.map(\.text).sorted()
        guard overview.channels[channel] == nil, !names.isEmpty else { return nil }
        let near = hint(channel.text, among: names)
        return "warning: nothing was ever offered on \(channel) (there is: \(names.joined(separator: ", ")))\(near)"
    }

    /// The same of a package.
    static func unusedPackageNote(_ package: PackageID, in overview: RegistryOverview) -> String? {
        let names = overview.versions.keys.map(\.text).sorted()
        guard overview.versions[package] == nil, !names.isEmpty else { return nil }
        let near = hint(package.text, among: names)
        return "warning: nothing was ever published of \(package) (there is: \(names.joined(separator: ", ")))\(near)"
    }

    /// - Throws: for a channel that the registry does not have, with the names of those that it has.
    static func require(_ channel: ChannelName, in overview: RegistryOverview) throws {
        guard overview.channels[channel] == nil else { return }
        let names = overview.channels.keys.map(\.text).sorted()
        let near = hint(channel.text, among: names)
        throw CommandFailure(
            "there is no channel \(channel) (there is: \(names.isEmpty ? "none yet" : names.joined(separator: ", ")))"
                + near, kind: "notFound")
    }

    /// - Throws: for a package of which nothing was published, with the names of those that there are.
    static func require(_ package: PackageID, in overview: RegistryOverview) throws {
        guard overview.versions[package] == nil else { return }
        let names = overview.versions.keys.map(\.text).sorted()
        let near = hint(package.text, among: names)
        throw CommandFailure(
            "nothing is published of the package \(package) (there is: "
                + "\(names.isEmpty ? "nothing yet" : names.joined(separator: ", ")))" + near, kind: "notFound")
    }
}
