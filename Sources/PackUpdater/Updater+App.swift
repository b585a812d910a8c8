import PackFormat

extension Updater {
    /// Whether the app has another version than when it started last. One that does not say has none.
    func isOtherApp() throws -> Bool {
        guard let version = configuration.appVersion, try store.isMade else { return false }
        return try store.state().appVersion != version
    }

    /// What was downloaded for the app of before may not fit the one of now.
    func dropUnfittingStaged() throws {
        let dropped = try store.change { state in
            var dropped: [(PackageID, PackageState.Installed)] = []
            for package in state.packages.keys.sorted() {
                guard case .version(let staged) = state[package].staged, try !fits(staged, package) else { continue }
                state.unstage(package)
                dropped.append((package, staged))
            }
            return dropped
        }
        for (package, staged) in dropped {
            journal.note(.refused, package, staged.id.version, try misfit(staged, package) ?? "it does not fit the app")
        }
    }

    /// Leaves versions that the new app cannot run, and writes down which app this is.
    func leaveUnfitting() throws {
        let left = try store.change { state in
            var left: [StoreState.Retreat] = []
            for package in state.packages.keys.sorted() {
                guard let active = state[package].active?.installed, let reason = try misfit(active, package) else {
                    continue
                }
                left += try state.leaveUnfitting(package, reason: reason, fits: fits)
            }
            state.appVersion = configuration.appVersion
            return left
        }
        for retreat in left { note(retreat.wentBack, of: retreat.package) }
    }

    private func fits(_ installed: PackageState.Installed, _ package: PackageID) throws -> Bool {
        try misfit(installed, package) == nil
    }

    /// Why the app cannot run a version; nil if it can. A manifest that cannot be read says nothing: its version is left when it
    /// is opened.
    private func misfit(_ installed: PackageState.Installed, _ package: PackageID) throws -> String? {
        guard let version = configuration.appVersion,
            let range = try store.manifest(of: package, installed.id)?.manifest.requiredApp, !range.contains(version)
        else { return nil }
        return "it requires app \(range) and this is \(version)"
    }
}
