/// The names in an app's signed metadata, and the paths of online copies. `ViewPath` has the files of the published view.
public enum ViewLayout {
    /// The name of a channel file among the signed targets. A file of format 2 exists only if format 1 cannot express
    /// everything. No channel's name has a dot, so the name is never another channel's.
    public static func channelTarget(_ channel: ChannelName, format: Int = 1) -> String {
        format == 1 ? "channels/\(channel).json" : "channels/\(channel).v\(format).json"
    }

    /// The names under which a channel's file may be listed. The first one that is listed is complete.
    public static func channelTargets(_ channel: ChannelName) -> [String] {
        (1...ChannelFile.currentFormat).reversed().map { channelTarget(channel, format: $0) }
    }

    /// The name of the head of a large channel among the signed targets (``ChannelHead``).
    package static func channelHeadTarget(_ channel: ChannelName) -> String { "channels/\(channel).v3.json" }

    /// The name of one part of a large channel among the signed targets.
    package static func channelPartTarget(_ channel: ChannelName, _ part: Int) -> String {
        "channels/\(channel).part-\(part).json"
    }

    /// Whether a target is a channel's head or one of its parts.
    package static func isPart(_ target: String, of channel: ChannelName) -> Bool {
        target == channelHeadTarget(channel) || target.hasPrefix("channels/\(channel).part-")
    }

    /// The name of a group's file among the signed targets, beside its channel's.
    public static func groupTarget(_ name: String, of channel: ChannelName) -> String {
        "channels/\(channel).group-\(name).json"
    }

    /// The channel whose file a target is; nil for another target.
    public static func channel(ofTarget name: String) -> ChannelName? {
        let text = name.dropFirst("channels/".count).prefix { $0 != "." }
        guard let channel = try? ChannelName(String(text)), channelTargets(channel).contains(name) else { return nil }
        return channel
    }

    /// The name of a manifest among the signed targets.
    public static func manifestTarget(_ package: PackageID, _ version: SemanticVersion) -> String {
        "manifests/\(package)/\(version).json"
    }

    /// The delegated role whose key may publish a package. The dot keeps it apart from every other role.
    public static func role(of package: PackageID) -> String { "package.\(package)" }

    /// The delegated role of the registry that signs channel files.
    public static let channelsRole = "channels"

    /// The path of a page or file in a version's online copy.
    public static func site(_ package: PackageID, _ version: SemanticVersion, _ path: String) -> String {
        "site/\(package)/\(version)/\(path)"
    }
}
