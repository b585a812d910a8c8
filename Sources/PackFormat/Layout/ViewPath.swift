/// A file of the published view: where it is, how long it may be cached, what its name says of its content.
///
/// The view has files of these kinds and no others. A path of any other form is refused before anybody looks for it: files that
/// are being written, and whatever else lies about, cannot be read.
package enum ViewPath: Hashable, Sendable, CustomStringConvertible {
    /// A role of an app's signed metadata whose versions each have a name of their own.
    package enum Role: Hashable, Sendable {
        case root
        case targets
        case snapshot
        case channels
        case package(PackageID)

        /// nil for a name that no role of a registry has.
        package init?(_ name: String) {
            switch name {
            case "root": self = .root
            case "targets": self = .targets
            case "snapshot": self = .snapshot
            case ViewLayout.channelsRole: self = .channels
            default:
                let prefix = "package."
                guard name.hasPrefix(prefix), let package = try? PackageID(String(name.dropFirst(prefix.count))) else {
                    return nil
                }
                self = .package(package)
            }
        }

        package var name: String {
            switch self {
            case .root: "root"
            case .targets: "targets"
            case .snapshot: "snapshot"
            case .channels: ViewLayout.channelsRole
            case .package(let package): ViewLayout.role(of: package)
            }
        }
    }

    /// What readers start with, and the only file that each change replaces.
    case timestamp
    case metadata(Role, version: Int)
    /// The metadata that changed last when a version of the snapshot came, in one file.
    case recent(snapshot: Int)
    case manifest(PackageID, SemanticVersion, Digest)
    case channelFile(ChannelName, format: Int, Digest)
    case channelHead(ChannelName, Digest)
    case channelPart(ChannelName, Int, Digest)
    /// A group of devices, by its name.
    case group(ChannelName, String, Digest)
    /// The bytes of one file.
    case object(Digest)
    /// What turns the objects of the version with one manifest into those of another; from nothing: the full download.
    case patch(from: Digest?, to: Digest)
    /// One manifest as a frame against another.
    case manifestPatch(from: Digest, to: Digest)
    /// What one request brings of an update: a manifest as a skeleton against another, and the patch where it is small.
    case updateFile(from: Digest, to: Digest)
    /// The package as people and other tools use it.
    case archive(PackageID, SemanticVersion)

    /// The first parts of all paths.
    package static let folders: Set = ["metadata", "targets", "objects", "patches", "packages"]

    /// The file of a role by its name in signed metadata.
    /// - Returns: nil for a name that no role of a registry has.
    package init?(role name: String, version: Int) {
        if name == "timestamp" {
            self = .timestamp
        } else {
            guard let role = Role(name) else { return nil }
            self = .metadata(role, version: version)
        }
    }

    /// The file of a signed target by its name and digest (TUF 1.0.34 §6.2): a manifest or a channel file.
    /// - Returns: nil for any other target.
    package init?(target name: String, digest: Digest) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        let folder = parts.dropLast().joined(separator: "/")
        self.init("targets/\(folder)/\(digest.hex).\(parts[parts.count - 1])")
    }

    /// - Returns: nil for a path that no file of a view has.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let found = Self.parse(parts), found.description == text else { return nil }
        self = found
    }

    /// Relative to the registry's base URL, or to the folder of its view.
    package var description: String {
        switch self {
        case .timestamp: "metadata/timestamp.json"
        case .metadata(let role, let version): "metadata/\(version).\(role.name).json"
        case .recent(let snapshot): "metadata/\(snapshot).recent.zst"
        case .manifest(let package, let version, let digest):
            "targets/manifests/\(package)/\(digest.hex).\(version).json"
        case .channelFile(let channel, let format, let digest):
            "targets/channels/\(digest.hex).\(ViewLayout.channelTarget(channel, format: format).dropFirst("channels/".count))"
        case .channelHead(let channel, let digest):
            "targets/channels/\(digest.hex).\(ViewLayout.channelHeadTarget(channel).dropFirst("channels/".count))"
        case .channelPart(let channel, let part, let digest):
            "targets/channels/\(digest.hex).\(ViewLayout.channelPartTarget(channel, part).dropFirst("channels/".count))"
        case .group(let channel, let name, let digest):
            "targets/channels/\(digest.hex).\(ViewLayout.groupTarget(name, of: channel).dropFirst("channels/".count))"
        case .object(let digest): "objects/\(digest.hex.prefix(2))/\(digest.hex)"
        case .patch(let base, let target): "patches/\(target.hex)/\(base?.hex ?? "full").zst"
        case .manifestPatch(let base, let target): "patches/\(target.hex)/\(base.hex).manifest.zst"
        case .updateFile(let base, let target): "patches/\(target.hex)/\(base.hex).update"
        case .archive(let package, let version): "packages/\(package)-\(version).zip"
        }
    }

    /// The digest of the content, where the name says it.
    package var digest: Digest? {
        switch self {
        case .manifest(_, _, let digest), .channelFile(_, _, let digest), .channelHead(_, let digest),
            .channelPart(_, _, let digest), .group(_, _, let digest), .object(let digest):
            digest
        case .timestamp, .metadata, .recent, .patch, .manifestPatch, .updateFile, .archive: nil
        }
    }

    /// How long a cache may keep the file, as a value of the header field `Cache-Control`.
    package var cacheControl: String {
        switch self {
        case .timestamp: CacheControl.pointer
        case .patch(from: nil, to: _): CacheControl.replaced
        case .metadata, .recent, .manifest, .channelFile, .channelHead, .channelPart, .group, .object, .patch,
            .manifestPatch, .updateFile, .archive:
            CacheControl.immutable
        }
    }

    /// The media type by the name. Objects are bytes without one; the manifest gives their type where they are served as a site.
    package var mediaType: MediaType {
        switch self {
        case .object, .updateFile: MediaType("application/octet-stream")
        case .recent, .patch, .manifestPatch: MediaType(fileExtension: "zst")
        case .archive: MediaType(fileExtension: "zip")
        case .timestamp, .metadata, .manifest, .channelFile, .channelHead, .channelPart, .group:
            MediaType(fileExtension: "json")
        }
    }
}

// MARK: Parsing

extension ViewPath {
    private static func parse(_ parts: [String]) -> ViewPath? {
        guard let folder = parts.first, let name = parts.last else { return nil }
        switch (folder, parts.count) {
        case ("metadata", 2): return metadata(name)
        case ("targets", 3) where parts[1] == "channels":
            guard let (digest, rest) = hashed(name) else { return nil }
            guard let channel = ViewLayout.channel(ofTarget: "channels/\(rest)") else {
                return besideChannel(rest, digest)
            }
            let format = (1...ChannelFile.currentFormat).first {
                ViewLayout.channelTarget(channel, format: $0) == "channels/\(rest)"
            }
            return format.map { .channelFile(channel, format: $0, digest) }
        case ("targets", 4) where parts[1] == "manifests":
            guard let (digest, rest) = hashed(name), let package = try? PackageID(parts[2]),
                let version = try? rest.removingSuffix(".json").map({ try SemanticVersion($0) })
            else { return nil }
            return .manifest(package, version, digest)
        case ("objects", 3): return (try? Digest(hex: name)).map { .object($0) }
        case ("patches", 3):
            guard let target = try? Digest(hex: parts[1]) else { return nil }
            return patch(name, to: target)
        case ("packages", 2): return archive(name)
        default: return nil
        }
    }

    /// A file beside a channel's: `beta.group-testers.json`, `beta.v3.json`, `beta.part-17.json`.
    private static func besideChannel(_ name: String, _ digest: Digest) -> ViewPath? {
        guard let dot = name.firstIndex(of: "."), let channel = try? ChannelName(String(name[..<dot])) else {
            return nil
        }
        if "channels/\(name)" == ViewLayout.channelHeadTarget(channel) { return .channelHead(channel, digest) }
        let rest = String(name[dot...])
        func middle(after prefix: String) -> String? {
            rest.hasPrefix(prefix) ? String(rest.dropFirst(prefix.count)).removingSuffix(".json") : nil
        }
        if let group = middle(after: ".group-") {
            return DeviceGroup.isName(group) ? .group(channel, group, digest) : nil
        }
        guard let part = middle(after: ".part-").flatMap({ Int($0) }),
            (0..<ChannelHead.maximumPartCount).contains(part)
        else { return nil }
        return .channelPart(channel, part, digest)
    }

    private static func metadata(_ name: String) -> ViewPath? {
        if name == "timestamp.json" { return .timestamp }
        guard let dot = name.firstIndex(of: "."), let version = Int(name[..<dot]), version > 0 else { return nil }
        let rest = String(name[name.index(after: dot)...])
        if rest == "recent.zst" { return .recent(snapshot: version) }
        return rest.removingSuffix(".json").flatMap { Role($0) }.map { .metadata($0, version: version) }
    }

    /// A name with its content's digest before it.
    private static func hashed(_ name: String) -> (Digest, String)? {
        guard let dot = name.firstIndex(of: "."), let digest = try? Digest(hex: String(name[..<dot])) else {
            return nil
        }
        return (digest, String(name[name.index(after: dot)...]))
    }

    private static func patch(_ name: String, to target: Digest) -> ViewPath? {
        if name == "full.zst" { return .patch(from: nil, to: target) }
        if let base = name.removingSuffix(".manifest.zst") {
            return (try? Digest(hex: base)).map { .manifestPatch(from: $0, to: target) }
        }
        if let base = name.removingSuffix(".update") {
            return (try? Digest(hex: base)).map { .updateFile(from: $0, to: target) }
        }
        return name.removingSuffix(".zst").flatMap { try? Digest(hex: $0) }.map { .patch(from: $0, to: target) }
    }

    /// A package's id has no dot, so it ends at the last `-` before the first one.
    private static func archive(_ name: String) -> ViewPath? {
        guard let stem = name.removingSuffix(".zip"), let dot = stem.firstIndex(of: "."),
            let dash = stem[..<dot].lastIndex(of: "-"), let package = try? PackageID(String(stem[..<dash])),
            let version = try? SemanticVersion(String(stem[stem.index(after: dash)...]))
        else { return nil }
        return .archive(package, version)
    }
}

extension String {
    /// nil where the text does not end so.
    fileprivate func removingSuffix(_ suffix: String) -> String? {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
    }
}
