import PackArchive
import PackFormat

/// A zip for clients that replace a folder of pages: a version's files, also those of shared bundles, and nothing else.
struct SiteArchive: Sendable {
    let manifest: Manifest
    /// The folder in the zip that has the files, such as `www`; nil: they are at the root.
    let folder: String?
    /// What the client has already. The zip then has only what is new or other, and a list of what is gone.
    let base: Manifest?
    /// The name of the zip's file. The same name always has the same bytes.
    let name: String

    /// - Parameters:
    ///   - digest: the manifest's, for who has it: it takes time to make.
    ///   - baseDigest: the base's.
    init(
        of manifest: Manifest, digest: Digest? = nil, in folder: String? = nil, from base: Manifest? = nil,
        baseDigest: Digest? = nil
    ) {
        self.manifest = manifest
        self.folder = folder
        self.base = base
        let digest = digest ?? manifest.digest
        let parts = [digest.hex, folder, base.map { "from-\((baseDigest ?? $0.digest).hex)" }]
        name = parts.compactMap { $0 }.joined(separator: ".") + ".zip"
    }

    /// The contents in the order of their paths.
    /// - Parameter file: the place of an object.
    /// - Throws: ``FormatError`` if a path is too long below the folder.
    func contents(_ file: (Digest) -> ContentSource) throws -> [ContentRequest] {
        var requests: [ContentRequest] = []
        for path in manifest.sortedPaths {
            guard let listed = manifest.files[path], base?.files[path]?.digest != listed.digest else { continue }
            requests.append(
                ContentRequest(
                    file(listed.digest), path: try place(of: path),
                    expected: Object(digest: listed.digest, size: listed.size)))
        }
        if let base { requests.append(try Self.changes(removed: removed(from: base))) }
        return requests
    }

    private func removed(from base: Manifest) throws -> [String] {
        try base.sortedPaths.filter { manifest.files[$0] == nil }.map { try place(of: $0).text }
    }

    private func place(of path: PackagePath) throws -> PackagePath {
        try folder.map { try PackagePath("\($0)/\(path.text)") } ?? path
    }
}
