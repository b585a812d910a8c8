import Foundation
import PackFormat

/// What is published and released, as the database tells it, read anew only when the view has changed.
actor PublishedState {
    private static let maximumManifestCount = 64

    private let reading: any RegistryReading
    private let view: ViewController
    private var known: (stamp: FileStamp, overview: RegistryOverview)?
    private var manifests: [Digest: Manifest] = [:]

    init(reading: any RegistryReading, view: ViewController) {
        self.reading = reading
        self.view = view
    }

    func overview() async throws -> RegistryOverview {
        // The stamp comes first: what is read after it is at least as new.
        let stamp = view.stamp
        if let known, known.stamp == stamp { return known.overview }
        let overview = try await reading.overview()
        known = stamp.map { ($0, overview) }
        return overview
    }

    /// nil where there is no such version.
    func version(_ version: SemanticVersion, of package: PackageID) async throws -> RegistryOverview.Version? {
        try await overview().versions[package]?.first { $0.version == version }
    }

    func manifest(of package: PackageID, _ version: RegistryOverview.Version) async throws -> Manifest? {
        if let manifest = manifests[version.manifest] { return manifest }
        let target = ViewLayout.manifestTarget(package, version.version)
        let parts = target.split(separator: "/")
        let name = "\(version.manifest.hex).\(parts.last ?? "")"
        let path = (["targets"] + parts.dropLast().map(String.init) + [name]).joined(separator: "/")
        guard let bytes = try await view.bytes(path), Digest(of: bytes) == version.manifest else { return nil }
        let manifest = try Manifest(parsing: bytes)
        if manifests.count >= Self.maximumManifestCount { manifests.removeAll() }
        manifests[version.manifest] = manifest
        return manifest
    }
}
