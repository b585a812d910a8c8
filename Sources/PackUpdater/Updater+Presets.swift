import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Updater {
    /// Installs the app's presets that this store has not seen.
    ///
    /// If one fails, the others are not affected; the error is thrown at the end.
    ///
    /// A preset is signed like everything else, and its signatures are checked. Its expiry is not: it came with the
    /// app and not over the network, and an app that is a year old must still start.
    package func takePresets() async throws {
        let known = try store.state().presets
        var fault: (any Error)?
        for folder in configuration.presets {
            do {
                let preset = try PresetFolder(folder)
                if known.contains(preset.digest) { continue }
                let lock = try await store.lockForUpdate(patience: max(configuration.patience, .seconds(30)))
                defer { withExtendedLifetime(lock) {} }
                try await take(preset)
            } catch {
                // The others are taken in all the same, and this one is tried again at the next start.
                journal.note(.preset, nil, nil, "\(folder.lastPathComponent) could not be installed: \(error)")
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
    }

    private func take(_ preset: PresetFolder) async throws {
        let layout = store.layout
        // Its metadata may be older than what the store trusts already: it gets a place of its own.
        let scratch = StoreLayout(folder: layout.downloads.appending(path: "preset-\(preset.digest)"))
        try Durable.remove(scratch.folder)
        try Durable.makeFolder(scratch.folder)
        let transport = FolderTransport(folder: preset.folder)
        let root =
            try configuration.root
            ?? Durable.read(
                layout.trust.appending(path: "root.json"), maximumByteCount: 1 << 20)
        let targets = try presetTargets(scratch, root: root, transport: transport)
        try await targets.refresh()
        let installer = Installer(store: store, transport: transport, targets: targets, journal: journal)
        let mark = PackageState.ReleaseMark(id: PackageState.ReleaseMark.presetID, retry: 0)
        let jobs = preset.packages.sorted { $0.key < $1.key }.map {
            InstallJob(package: $0.key, id: $0.value, release: mark, why: "the app brings it")
        }
        let run = UpdateRun(
            installer: installer, appVersion: configuration.appVersion,
            parallelism: configuration.limits.parallelism)
        var fault: (any Error)?
        for result in await run.install(jobs) {
            switch result.outcome {
            case .success(let hasPages):
                let installed = PackageState.Installed(id: result.job.id, release: nil, hasPages: hasPages)
                let isNext = try store.change { state in state.embed(installed, for: result.job.package) }
                journal.note(
                    .preset, result.job.package, result.job.id.version,
                    isNext
                        ? "the app brings it, and nothing newer is here"
                        : "the app embeds it, and an equal or newer version is installed")
            case .failure(let error):
                journal.note(.refused, result.job.package, result.job.id.version, "\(error)")
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        try store.change { state in _ = state.presets.insert(preset.digest) }
        try collect(keepsPartialDownloads: true, verified: installer.verified)
    }
}
