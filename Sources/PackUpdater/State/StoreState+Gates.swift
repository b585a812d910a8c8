import PackFormat

/// The feature gates of packages, as the channel has them and as pages see them.
extension StoreState {
    /// Takes over the gate of one package. A package whose gate was off while the others took a set is shown again with
    /// that set, and not with what it had before.
    /// - Returns: what changed, in words; nil if nothing did.
    mutating func obey(_ offered: ChannelFile.Package, _ package: PackageID) -> String? {
        guard offered.isEnabled else {
            guard self[package].isEnabled || self[package].awaitedSet != nil else { return nil }
            self[package].isEnabled = false
            self[package].awaitedSet = nil
            return "the channel's feature gate is off"
        }
        guard !self[package].isEnabled, self[package].awaitedSet == nil else { return nil }
        guard let set = missedSet(of: package, among: offered.releases) else {
            self[package].isEnabled = true
            return "the channel's feature gate is on"
        }
        self[package].awaitedSet = set
        return
            "the channel's feature gate is on; pages of it are shown when it has its version of the set \(set), which others run"
    }

    /// The set that others run and of which the package has an older version than its own.
    private func missedSet(of package: PackageID, among releases: [Release]) -> String? {
        guard let active = self[package].active else { return nil }
        let running = setsRun(besides: package)
        for release in releases {
            if active.id == release.versionID { return nil }
            if let set = release.set, running.contains(set) { return set }
        }
        return nil
    }

    private func setsRun(besides package: PackageID) -> Set<String> {
        Set(packages.compactMap { $0.key == package ? nil : $0.value.active?.installed.release?.set })
    }

    /// Shows packages that waited for the rest of their set, once they have their version of it or no other package runs it.
    mutating func showWholeSets() {
        for (package, state) in packages {
            guard let set = state.awaitedSet else { continue }
            guard state.active?.installed.release?.set == set || !setsRun(besides: package).contains(set) else {
                continue
            }
            show(package)
        }
    }

    /// Shows a package whose gate is on, whatever it waited for.
    mutating func show(_ package: PackageID) {
        self[package].awaitedSet = nil
        self[package].isEnabled = true
    }
}
