import PackFormat
import PackJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder that `packtool preset` wrote: the part of a published view that some versions need, and `preset.json`,
/// which names them. It therefore installs like a download, from a folder.
///
///     preset.json        {"format": 1, "packages": {"checkout": {"version": "1.4.0", "manifest": "sha256…"}}}
///     metadata/…         the signed roles that list the manifests
///     targets/manifests/…
///     patches/TO/full.zst  of each version and of the shared bundles that it pins
struct PresetFolder {
    static let listName = "preset.json"
    private static let maximumByteCount = 1 << 20

    let folder: URL
    let packages: [PackageID: VersionID]
    /// Of `preset.json`: names the preset, so that each is taken in once.
    let digest: Digest

    init(_ folder: URL) throws {
        let url = folder.appending(path: Self.listName)
        guard let bytes = try Durable.read(url, maximumByteCount: Self.maximumByteCount) else {
            throw UpdateError.notFound(address: url.path)
        }
        self.folder = folder
        digest = Digest(of: bytes)
        let json = try JSONValue(parsing: bytes).object("the preset")
        guard try json.integer("format") == 1 else {
            throw UpdateError.damagedContent(url.path, reason: "its format is not 1: update the app's packtool")
        }
        var packages: [PackageID: VersionID] = [:]
        for member in try json.object("packages").members {
            packages[try PackageID(member.key)] = try VersionID(json: member.value.object(member.key))
        }
        self.packages = packages
    }
}
