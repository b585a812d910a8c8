import Foundation
import PackFormat

extension Updater {
    /// Installs the presets that the app brought and this store has not seen.
    ///
    /// A preset is signed like everything else, and its signatures are checked. Its expiry is not: it came with the
    /// app and not over the network, and an app that is a year old must still start.
    package func takePresets() async throws {
        let presets = try configuration.presets.map { try PresetFolder($0) }
        let known = try store.state().presets
        for preset in presets where !known.contains(preset.digest) {
            let lock = try await store.lockForUpdate(patience: max(configuration.patience, .seconds(30)))
            defer { withExtendedLifetime(lock) {} }
            try await take(preset)
        }
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
        let mark = PackageState.ReleaseMark(id: "preset", retry: 0)
        let jobs = preset.packages.sorted { $0.key < $1.key }.map {
            InstallJob(package: $0.key, id: $0.value, release: mark, why: "the app brings it")
        }
        let run = UpdateRun(
            installer: installer, appVersion: configuration.appVersion,
            parallelism: configuration.limits.parallelism)
        for result in await run.install(jobs) {
            let hasPages = try result.outcome.get()
            let installed = PackageState.Installed(id: result.job.id, release: nil, hasPages: hasPages)
            let isNext = try store.change { state in state[result.job.package].embed(installed) }
            journal.note(
                .preset, result.job.package, result.job.id.version,
                isNext ? "the app brings it, and nothing newer is here" : "the app brings it; what is here is as new")
        }
        try store.change { state in _ = state.presets.insert(preset.digest) }
        try collect(keepsPartialDownloads: true)
    }
}
