import PackFormat

/// What pages and devices ask of the database again and again, read anew only when the view has changed.
///
/// Every publication and every change of a channel ends with a new `metadata/timestamp.json`, so one `lstat` tells whether
/// what was read before still holds.
actor PublishedState {
    private struct SiteKey: Hashable {
        let package: PackageID
        let version: SemanticVersion
    }

    private struct ReleaseKey: Hashable {
        let package: PackageID
        let channel: ChannelName
    }

    /// Manifests can be large, and anybody may ask for any version.
    private static let maximumManifestCount = 64
    private static let maximumReleaseCount = 10_000

    private let host: any RegistryHost
    private let view: ViewController
    private var stamp: FileStamp?
    private var manifests: [SiteKey: Manifest] = [:]
    private var releases: [ReleaseKey: [Release]] = [:]

    init(host: any RegistryHost, view: ViewController) {
        self.host = host
        self.view = view
    }

    nonisolated var app: String { host.app }

    func manifest(of package: PackageID, _ version: SemanticVersion) async throws -> Manifest? {
        let stamp = current()
        let key = SiteKey(package: package, version: version)
        if let manifest = manifests[key] { return manifest }
        let manifest = try await host.manifest(of: package, version)
        if let manifest, self.stamp == stamp {
            if manifests.count >= Self.maximumManifestCount { manifests.removeAll() }
            manifests[key] = manifest
        }
        return manifest
    }

    func packages(on channel: ChannelName) async throws -> [PackageID] {
        try await host.packages(on: channel)
    }

    func releases(of package: PackageID, on channel: ChannelName) async throws -> [Release] {
        let stamp = current()
        let key = ReleaseKey(package: package, channel: channel)
        if let releases = releases[key] { return releases }
        let found = try await host.releases(of: package, on: channel)
        if self.stamp == stamp {
            if releases.count >= Self.maximumReleaseCount { releases.removeAll() }
            releases[key] = found
        }
        return found
    }

    /// The view's stamp, taken before anything is read, so that what is kept is at least as new.
    private func current() -> FileStamp? {
        let now = view.stamp
        if now != stamp || now == nil {
            stamp = now
            manifests.removeAll()
            releases.removeAll()
        }
        return now
    }
}
