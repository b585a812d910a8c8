import Foundation
import PackFormat
import PackPatch

@testable import PackUpdater

/// A published view in a temporary folder, with unsigned targets: what the updater's own rules are tested against.
final class TestRegistry {
    let folder: URL
    let app: String
    let channel: ChannelName
    private(set) var channels: [PackageID: ChannelFile.Package] = [:]
    private(set) var manifests: [VersionID: Manifest] = [:]
    private(set) var groups: [String: GroupReference] = [:]
    /// Of the channel, with its next file.
    var rules: WebRules?

    init(app: String = "shop") throws {
        self.app = app
        folder = try Folders.temporary("registry")
        channel = try ChannelName("beta")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    var view: URL { folder.appending(path: "view") }
    var signed: URL { folder.appending(path: "signed") }

    /// Publishes a version; `shared` names files that come from a bundle published before.
    @discardableResult
    func publish(
        _ package: String, _ version: String, _ files: [String: String], shared: [String: VersionID] = [:],
        from: [String: String] = [:], entry: String? = "index.html", requires: String? = nil, full: Bool = true,
        origins: [String] = []
    ) throws -> VersionID {
        var list: [PackagePath: Manifest.File] = [:]
        for (path, text) in files {
            let object = try write(text)
            list[try PackagePath(path)] = try Manifest.File(
                digest: object.digest, size: object.size, from: from[path].map { try PackageID($0) })
        }
        var pins: [PackageID: VersionID] = [:]
        for (bundle, id) in shared {
            pins[try PackageID(bundle)] = VersionID(version: id.version, manifest: id.manifest)
        }
        let manifest = try Manifest(
            package: PackageID(package), version: SemanticVersion(version),
            entry: entry.map { try PackagePath($0) }, files: list, shared: pins,
            origins: origins,
            requiredApp: requires.map { try VersionRange($0) })
        let id = VersionID(version: manifest.version, manifest: manifest.digest)
        manifests[id] = manifest
        try put(manifest.bytes, signed, ViewLayout.manifestTarget(manifest.package, manifest.version))
        if full { try patch(from: nil, to: id) }
        return id
    }

    /// Publishes the manifest alone of a version with one file of this size.
    func publishClaim(_ package: String, _ version: String, size: Int) throws -> VersionID {
        let path = try PackagePath("index.html")
        let manifest = try Manifest(
            package: PackageID(package), version: SemanticVersion(version), entry: path,
            files: [path: Manifest.File(digest: Digest(of: Array("a claim".utf8)), size: size)])
        try put(manifest.bytes, signed, ViewLayout.manifestTarget(manifest.package, manifest.version))
        return VersionID(version: manifest.version, manifest: manifest.digest)
    }

    /// Makes the patch, and the manifest's, between two published versions.
    /// - Parameter update: Also the update file, as registries write it since format 1 of it.
    func patch(from base: VersionID?, to target: VersionID, manifest: Bool = false, update: Bool = false) throws {
        guard let wanted = manifests[target] else { throw CocoaError(.fileNoSuchFile) }
        let known = base.flatMap { manifests[$0] }
        let file = view.appending(path: ViewPath.patch(from: base?.manifest, to: target.manifest).description)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let view = view
        _ = try PatchEncoder().encode(PatchPlan(from: known, to: wanted), to: file) {
            view.appending(path: ViewPath.object($0).description)
        }
        if manifest, let known, let base {
            let frame = try ManifestPatch.encode(base: known.bytes, target: wanted.bytes)
            try put(frame, view, ViewPath.manifestPatch(from: base.manifest, to: target.manifest).description)
        }
        if update, let known, let base {
            let made = try ManifestSkeleton.encode(base: known.bytes, target: wanted.bytes) {
                view.appending(path: ViewPath.object($0).description)
            }
            guard let skeleton = made else {
                throw CocoaError(.fileNoSuchFile)
            }
            let patch = [UInt8](try Data(contentsOf: file))
            let isSmall = patch.count <= UpdateFile.maximumPatchByteCount
            try put(
                UpdateFile.bytes(skeleton: skeleton, patch: isSmall ? patch : []), view,
                ViewPath.updateFile(from: base.manifest, to: target.manifest).description)
        }
    }

    /// Offers a version as the newest release of its package.
    @discardableResult
    func release(
        _ package: String, _ id: VersionID?, release: String, percent: Int = 100, retry: Int = 0,
        set: String? = nil, audience: String? = nil, policy: ClientPolicy = .standard
    ) throws -> Release {
        let offer: Release.Offer = id.map { .version($0.version, manifest: $0.manifest) } ?? .embedded
        let audiences = try audience.map { [try Audience($0)] } ?? []
        let rollout = Rollout(share: try Share(percent: percent), audiences: audiences)
        let new = try Release(id: release, offer: offer, rollout: rollout, policy: policy, retry: retry, set: set)
        let package = try PackageID(package)
        try self.set(package, [new] + (channels[package]?.releases ?? []))
        return new
    }

    func set(_ package: PackageID, _ releases: [Release], isEnabled: Bool = true) throws {
        channels[package] = ChannelFile.Package(releases: releases, isEnabled: isEnabled)
        try putChannel()
    }

    /// Puts a file of a group beside the channel's, whatever it says, and names it in the channel.
    func set(group name: String, _ bytes: [UInt8], deviceCount: Int = 1) throws {
        groups[name] = GroupReference(deviceCount: deviceCount, digest: Digest(of: bytes))
        try put(bytes, signed, ViewLayout.groupTarget(name, of: channel))
        try putChannel()
    }

    private func putChannel() throws {
        let file = ChannelFile(app: app, channel: channel, packages: channels, rules: rules, groups: groups)
        try put(file.bytes, signed, ViewLayout.channelTarget(channel))
    }

    /// Writes a preset as `packtool preset` does, with unsigned targets.
    func preset(_ versions: [String: VersionID], in folder: URL) throws {
        let list = versions.sorted { $0.key < $1.key }.map {
            #""\#($0.key)":{"version":"\#($0.value.version)","manifest":"\#($0.value.manifest.hex)"}"#
        }
        try put(
            Array(#"{"format":1,"packages":{\#(list.joined(separator: ","))}}"#.utf8), folder, PresetFolder.listName)
        for (package, id) in versions {
            for (root, path) in [
                (view, ViewPath.patch(from: nil, to: id.manifest).description),
                (self.folder, "signed/" + ViewLayout.manifestTarget(try PackageID(package), id.version)),
            ] {
                try put(Array(Data(contentsOf: root.appending(path: path))), folder, path)
            }
        }
    }

    func withdraw(_ package: String, _ id: VersionID) throws {
        try FileManager.default.removeItem(
            at: signed.appending(path: ViewLayout.manifestTarget(PackageID(package), id.version)))
    }

    private func write(_ text: String) throws -> Object {
        let bytes = Array(text.utf8)
        let object = Object(digest: Digest(of: bytes), size: bytes.count)
        try put(bytes, view, ViewPath.object(object.digest).description)
        return object
    }

    func put(_ bytes: [UInt8], _ folder: URL, _ path: String) throws {
        let url = folder.appending(path: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }
}

/// Targets that are whatever stands in a folder.
struct UnsignedTargets: SignedTargets {
    let folder: URL
    /// Thrown by each refresh.
    var fault: UpdateError?

    func refresh() async throws {
        if let fault { throw fault }
    }

    func file(_ path: String) async throws -> SignedFile? {
        guard let data = try? Data(contentsOf: folder.appending(path: path)) else { return nil }
        return SignedFile(digest: Digest(of: data), size: data.count)
    }

    func channelNames() async -> [String] { [] }

    func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: path)))
    }
}

enum Folders {
    static func temporary(_ name: String) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "packtool-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    /// Every file and empty folder under a folder, by its relative path.
    static func listing(_ folder: URL) throws -> [String] {
        let root = folder.standardizedFileURL.path
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
            guard isThere, isFolder.boolValue else { return true }
            return ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(path)")) ?? []).isEmpty
        }.sorted()
    }
}
