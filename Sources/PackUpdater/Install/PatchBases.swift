import PackFormat

/// The versions on this device from which a patch may lead to a new one, the best first. ``DownloadPlan`` puts these patches, the full
/// download and single objects in an order. Before both, ``Installer`` tries the update file, which may have all.
struct PatchBases {
    let store: DeviceStore

    /// The installed versions of a package, the one most similar to the new version first.
    func of(_ package: PackageID) throws -> [Installer.Base] {
        let state = try store.state()[package]
        var ids: [VersionID] = []
        if let active = state.active { ids.append(active.id) }
        if case .version(let staged) = state.staged { ids.append(staged.id) }
        ids += [state.previous, state.embedded].compactMap { $0?.id }
        return found(ids, of: package)
    }

    /// The versions of a bundle that the packages' versions on this device pin.
    func of(bundle: PackageID, in packages: [PackageID]) throws -> [Installer.Base] {
        let state = try store.state()
        var ids: [VersionID] = []
        for package in packages + state.packages.keys.filter({ !packages.contains($0) }).sorted() {
            for installed in state[package].kept {
                // A base only makes the download smaller: one that cannot be read is none.
                guard let found = try? store.manifest(of: package, installed.id),
                    let pin = found.manifest.shared[bundle]
                else { continue }
                ids.append(VersionID(version: pin.version, manifest: pin.manifest))
            }
        }
        return found(ids, of: bundle)
    }

    private func found(_ ids: [VersionID], of package: PackageID) -> [Installer.Base] {
        var seen: Set<VersionID> = []
        return ids.compactMap { id in
            guard seen.insert(id).inserted, let found = try? store.manifest(of: package, id) else {
                return nil
            }
            return (id, found.bytes)
        }
    }
}
