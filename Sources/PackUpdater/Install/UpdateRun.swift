import PackFormat
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A version to install.
struct InstallJob: Sendable {
    let package: PackageID
    let id: VersionID
    let release: PackageState.ReleaseMark
    /// Why this one.
    let why: String
}

struct InstallResult: Sendable {
    let job: InstallJob
    /// Whether the version has pages, or why it is not in the store.
    let outcome: Result<Bool, any Error>

    var overload: UpdateReport.Overload? {
        guard case .failure(UpdateError.overloaded(_, _, let retryAfter)) = outcome else { return nil }
        return UpdateReport.Overload(retryAfter: retryAfter)
    }
}

/// Installs several versions: first the manifests, then each shared bundle that they pin once, then the packages. If
/// one fails, the others are not affected.
struct UpdateRun: Sendable {
    let installer: Installer
    let appVersion: AppVersion?
    let parallelism: Int

    func install(_ jobs: [InstallJob]) async -> [InstallResult] {
        let manifests = await each(jobs) { try await manifest(of: $0) }
        var bundles: [Pin: [PackageID]] = [:]
        for (job, manifest) in zip(jobs, manifests) {
            guard let manifest = try? manifest.get() else { continue }
            for (bundle, pin) in manifest.manifest.shared where isNeeded(bundle, by: manifest.manifest) {
                bundles[Pin(bundle: bundle, pin: pin), default: []].append(job.package)
            }
        }
        let pins = bundles.keys.sorted { ($0.bundle, $0.pin.manifest) < ($1.bundle, $1.pin.manifest) }
        let users = bundles
        let fetched = await each(pins) { pin in try await install(pin, for: users[pin] ?? []) }
        var found: [Pin: any Error] = [:]
        for (pin, result) in zip(pins, fetched) {
            if case .failure(let error) = result { found[pin] = error }
        }
        let faults = found
        let installed = await each(Array(zip(jobs, manifests))) { job, manifest in
            let verified = try manifest.get()
            for (bundle, pin) in verified.manifest.shared {
                if let fault = faults[Pin(bundle: bundle, pin: pin)] { throw fault }
            }
            try await install(verified)
            return verified.manifest.entry != nil
        }
        return zip(jobs, installed).map { InstallResult(job: $0, outcome: $1) }
    }

    func manifest(of job: InstallJob) async throws -> VerifiedManifest {
        let verified = try await installer.manifest(
            of: job.package, job.id.version, expected: job.id.manifest, bases: try bases.of(job.package),
            admits: admits)
        if let range = verified.manifest.requiredApp, !admits(range) {
            let has = appVersion.map { "this is \($0)" } ?? "the app's version is not known"
            throw UpdateError.refused(job.package, job.id.version, reason: "it requires app \(range) and \(has)")
        }
        try installer.dropDamaged(of: verified)
        return verified
    }

    private var bases: PatchBases { PatchBases(store: installer.store) }

    private func admits(_ range: VersionRange) -> Bool { appVersion.map { range.contains($0) } ?? false }

    private func install(_ verified: VerifiedManifest) async throws {
        try await installer.fetchObjects(of: verified, bases: try bases.of(verified.manifest.package).map(\.id))
        try installer.installTree(verified)
    }

    private func install(_ pin: Pin, for packages: [PackageID]) async throws {
        let bases = try self.bases.of(bundle: pin.bundle, in: packages)
        let verified = try await installer.manifest(
            of: pin.bundle, pin.pin.version, expected: pin.pin.manifest, bases: bases)
        guard verified.manifest.shared.isEmpty else {
            throw UpdateError.refused(pin.bundle, pin.pin.version, reason: "a shared bundle cannot pin another one")
        }
        try installer.dropDamaged(of: verified)
        try await installer.fetchObjects(of: verified, bases: bases.map(\.id))
        try installer.installTree(verified)
    }

    /// A bundle whose files are all here under other packages is not fetched.
    private func isNeeded(_ bundle: PackageID, by manifest: Manifest) -> Bool {
        let objects = ObjectStore(layout: installer.store.layout)
        return manifest.files.values.contains {
            $0.from == bundle && !objects.has(Object(digest: $0.digest, size: $0.size))
        }
    }

    /// Runs a step for each element, a few at a time, and keeps every result.
    private func each<Element: Sendable, Value: Sendable>(
        _ elements: [Element], _ body: @escaping @Sendable (Element) async throws -> Value
    ) async -> [Result<Value, any Error>] {
        var results = [Result<Value, any Error>](repeating: .failure(CancellationError()), count: elements.count)
        // Nothing throws here: an error is one element's result.
        try? await ConcurrentTasks.run(elements, atMost: parallelism) { element -> Result<Value, any Error> in
            do { return .success(try await body(element)) } catch { return .failure(error) }
        } taking: { index, result in
            results[index] = result
        }
        return results
    }

    private struct Pin: Hashable, Sendable {
        let bundle: PackageID
        let pin: VersionID
    }
}
