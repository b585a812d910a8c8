/// Where everything stands in the published view: paths relative to the registry's base URL, or to its folder.
///
/// Everything but `metadata/timestamp.json` is immutable under its name.
public enum ViewLayout {
    public static let metadataFolder = "metadata"
    public static let targetsFolder = "targets"

    /// The name of a channel file among the signed targets. One of format 2 is there only where format 1 does not say all of
    /// it. No channel's name has a dot, so it is no other channel's.
    public static func channelTarget(_ channel: ChannelName, format: Int = 1) -> String {
        format == 1 ? "channels/\(channel).json" : "channels/\(channel).v\(format).json"
    }

    /// The names under which a channel's file may be listed: the first that is says all of it.
    public static func channelTargets(_ channel: ChannelName) -> [String] {
        (1...ChannelFile.currentFormat).reversed().map { channelTarget(channel, format: $0) }
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

    /// The bytes of one file.
    public static func object(_ digest: Digest) -> String {
        let hex = digest.hex
        return "objects/\(hex.prefix(2))/\(hex)"
    }

    /// What turns the objects of the version with manifest `base` into those of `target`; from nothing if nil.
    public static func patch(from base: Digest?, to target: Digest) -> String {
        patch(from: base?.hex, to: target.hex)
    }

    /// For digests as a database gives them by the thousand.
    package static func patch(from base: String?, to target: String) -> String {
        "patches/\(target)/\(base ?? "full").zst"
    }

    /// The manifest `target` as a frame against the manifest `base`.
    public static func manifestPatch(from base: Digest, to target: Digest) -> String {
        manifestPatch(from: base.hex, to: target.hex)
    }

    package static func manifestPatch(from base: String, to target: String) -> String {
        "patches/\(target)/\(base).manifest.zst"
    }

    /// The package as people and other tools take it.
    public static func archive(_ package: PackageID, _ version: SemanticVersion) -> String {
        archive(package.text, version.description)
    }

    package static func archive(_ package: String, _ version: String) -> String { "packages/\(package)-\(version).zip" }

    /// The online copy of a version's page or file.
    public static func site(_ package: PackageID, _ version: SemanticVersion, _ path: String) -> String {
        "site/\(package)/\(version)/\(path)"
    }
}
