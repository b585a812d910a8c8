package import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Updater {
    /// Installs a version whose content the host already has, such as an opened package zip.
    /// - Parameters:
    ///   - bytes: the manifest.
    ///   - requiresSignature: false accepts a version without a signature, which is for development only.
    ///   - fill: writes every own object of the manifest, verified, to the batch.
    package func importPackage(
        manifest bytes: [UInt8], requiresSignature: Bool, fill: @Sendable (ImportBatch) throws -> Void
    ) async throws {
        let lock = try await store.lockForUpdate(patience: configuration.patience)
        defer { withExtendedLifetime(lock) {} }
        let manifest = try Manifest(parsing: bytes)
        let verified = try VerifiedManifest(
            package: manifest.package, version: manifest.version, bytes: bytes, digest: Digest(of: bytes))
        if requiresSignature { try await requireSignature(of: verified) }
        try Durable.makeFolder(store.layout.downloads)
        let batch = try ObjectBatch(ObjectStore(layout: store.layout))
        do {
            try fill(ImportBatch(batch: batch))
            try batch.commit()
        } catch {
            batch.discard()
            throw error
        }
        let installer = Installer(store: store, transport: transport, targets: NoTargets(), journal: journal)
        try installer.installTree(verified)
        _ = try? ObjectCheck(store.layout).faults(in: manifest, verified.id, verified: installer.verified)
        let installed = PackageState.Installed(id: verified.id, release: nil, hasPages: manifest.entry != nil)
        _ = try store.change { state in state.stage(installed, for: manifest.package) }
        journal.note(
            .imported, manifest.package, manifest.version,
            requiresSignature
                ? "from a package zip that its publisher signed" : "from a package zip, signature not asked for")
        if configuration.activation == .atOnce { try activate([manifest.package]) }
    }

    private func requireSignature(of verified: VerifiedManifest) async throws {
        let (package, version) = (verified.manifest.package, verified.manifest.version)
        let targets = try targets()
        try await targets.refresh()
        let signed = try await targets.file(ViewLayout.manifestTarget(package, version))
        guard signed?.digest == verified.digest else {
            let reason =
                signed == nil
                ? "its publisher does not list it, or withdrew it"
                : "its publisher signed another content of this version"
            journal.note(.refused, package, version, reason)
            throw UpdateError.refused(package, version, reason: reason)
        }
    }

    /// For steps that have what they need.
    private struct NoTargets: SignedTargets {
        func refresh() async throws {}
        func file(_ path: String) async throws -> SignedFile? { nil }
        func channelNames() async -> [String] { [] }
        func target(_ path: String, maximumByteCount: Int) async throws -> [UInt8] { throw UpdateError.noRoot }
    }
}

/// Accepts the objects of an imported package: call `begin`, any number of `write`, then `finish` when the written
/// content is verified.
package struct ImportBatch {
    let batch: ObjectBatch

    package func begin(_ object: Object) throws { try batch.begin(object) }
    package func write(_ bytes: UnsafeRawBufferPointer) throws { try batch.write(bytes) }
    package func finish(_ object: Object) throws { try batch.finish(object) }
}
