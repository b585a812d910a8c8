import PackFormat
import PackRegistry
import PackRegistryAPI

/// How many bytes a device fetches for a version, by what the registry has.
struct DownloadReader {
    let versions: [PackageID: [RegistryOverview.Version]]
    let registry: any Registry

    /// The shared bundles that a version pins; none where its manifest is not in the view.
    func bundles(
        of package: PackageID, _ version: SemanticVersion, _ digest: Digest
    ) async throws -> [PackageID: Digest] {
        let path = ViewLayout.file(ofTarget: ViewLayout.manifestTarget(package, version), digest: digest)
        guard let bytes = try await registry.viewFile(path, maximumByteCount: Manifest.maximumByteCount) else {
            return [:]
        }
        return try Manifest(parsing: bytes).shared.mapValues(\.manifest)
    }

    /// - Parameters:
    ///   - base: What the device has; nil for nothing.
    ///   - bundles: Those that come with the version.
    func download(
        of package: PackageID, _ target: Digest, from base: SemanticVersion?, _ bundles: [PackageID: Digest]
    ) async throws -> RolloutSimulation.Download {
        let known = base.flatMap { base in versions[package]?.first { $0.version == base } }
        var had: [PackageID: Digest] = [:]
        if let known { had = try await self.bundles(of: package, known.version, known.manifest) }
        let own = try await size(of: package, target, from: known?.manifest)
        var size = own.size
        for (bundle, digest) in bundles where had[bundle] != digest {
            size += try await self.size(of: bundle, digest, from: had[bundle]).size
        }
        return RolloutSimulation.Download(size: size, isFull: own.isFull)
    }

    private func size(of package: PackageID, _ target: Digest, from base: Digest?) async throws
        -> (size: Int, isFull: Bool)
    {
        if let base {
            let path = ViewLayout.patch(from: base, to: target)
            if let patch = try await registry.viewFile(path, maximumByteCount: 1 << 30) { return (patch.count, false) }
        }
        let version = versions[package]?.first { $0.manifest == target }
        // While the small full download is being made, devices fetch the objects.
        return (version?.fullSize ?? version?.size ?? 0, true)
    }
}
