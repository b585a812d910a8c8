import Foundation
import PackBuilder
import PackFormat
import PackRegistryAPI
import Synchronization

/// The versions in a registry before a build, to find what has grown, what is already published, and which findings
/// are new.
///
/// A build needs no registry: if none can be reached within a few seconds, the report leaves this part out.
final class PreviousVersions: Sendable {
    struct Found {
        /// The newest published manifest of each package that is not of the version being built.
        var manifests: [PackageID: Manifest] = [:]
        /// The manifest's digest of the version being built, where that is published.
        var published: [PackageID: Digest] = [:]
    }

    private static let patience = Duration.seconds(5)
    /// Pages and style sheets that are read from a registry for a comparison.
    private static let maximumPageCount = 2_000
    private static let maximumPageSize = 16 << 20

    private let options: RegistryOptions
    private let console: Console
    /// Of a large registry it is megabytes: one look serves the whole build.
    private let seen = Mutex<[Set<PackageID>?: RegistryOverview]>([:])
    private let lastFault = Mutex<String?>(nil)

    /// Why the registry said nothing; nil if it did.
    var fault: String? { lastFault.withLock { $0 } }

    init(_ options: RegistryOptions, console: Console) {
        self.options = options
        self.console = console
    }

    func found(before packages: [(id: PackageID, version: SemanticVersion)]) async -> Found {
        await ask { try await self.read($0, packages) } ?? Found()
    }

    /// All version numbers that are taken, withdrawn ones too; nil if no registry said it.
    func published() async -> [PackageID: Set<SemanticVersion>]? {
        await ask { try await self.overview(of: nil, in: $0).versions.mapValues { Set($0.map(\.version)) } }
    }

    /// Nil if there is no registry, or it does not answer in time.
    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (any Registry) async throws -> Answer
    ) async -> Answer? {
        // Silently: that there is no registry is no fault of a build.
        let answer = await withTaskGroup(of: Result<Answer, any Error>.self) { group in
            group.addTask { [self] in
                do { return .success(try await question(opened())) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return .failure(
                    RegistryError(.unreachable, "it did not answer within \(Self.patience.components.seconds) s"))
            }
            defer { group.cancelAll() }
            return await group.next()
        }
        do { return try answer?.get() } catch {
            lastFault.withLock { $0 = (error as? CommandFailure)?.message ?? "\(error)" }
            return nil
        }
    }

    /// What the last published version of each package would have been warned of, by its pages, styles, scripts and names.
    /// Packages without one are not in it.
    /// - Throws: ``CommandFailure`` where the registry cannot be read: nothing would be new then.
    func findings(before packages: [(id: PackageID, version: SemanticVersion)]) async throws -> [PackageID: Set<String>]
    {
        let registry: any Registry
        do { registry = try await opened() } catch {
            throw CommandFailure("--strict-new compares with the registry: \(error)", kind: Self.kind(of: error))
        }
        do {
            var known: [PackageID: Set<String>] = [:]
            for (id, manifest) in try await read(registry, packages).manifests {
                var audit = PublishedAudit(manifest)
                let read = { (object: Object) async throws in
                    let path = ViewPath.object(object.digest)
                    let bytes = try await registry.viewFile(path, maximumByteCount: object.size)
                    return bytes.flatMap { Digest(of: $0) == object.digest ? $0 : nil }
                }
                for page in audit.pages.prefix(Self.maximumPageCount) where page.size <= Self.maximumPageSize {
                    if let bytes = try await read(page) { audit.read(bytes, of: page.digest) }
                }
                for script in audit.scripts.prefix(Self.maximumPageCount) where script.size <= Self.maximumPageSize {
                    if audit.canConfirm { break }
                    if let bytes = try await read(script) { audit.read(bytes, of: script.digest) }
                }
                known[id] = audit.keys
            }
            return known
        } catch {
            throw CommandFailure(
                "the last published version cannot be read, so nothing is known to be new: \(error)",
                kind: Self.kind(of: error))
        }
    }

    private static func kind(of error: any Error) -> String? { (error as? RegistryError)?.kind.rawValue }

    private func opened() async throws -> any Registry {
        // A build works without its registry too, and is not to take longer then.
        try await RegistrySession(
            options, console: Console(isJSON: console.isJSON, isQuiet: true), waitsForServer: false
        ).registry
    }

    private func overview(of packages: Set<PackageID>?, in registry: any Registry) async throws -> RegistryOverview {
        if let overview = seen.withLock({ $0[packages] }) { return overview }
        let overview = try await registry.overview(of: packages)
        seen.withLock { $0[packages] = overview }
        return overview
    }

    private func read(
        _ registry: any Registry, _ packages: [(id: PackageID, version: SemanticVersion)]
    ) async throws -> Found {
        let published = try await overview(of: Set(packages.map(\.id)), in: registry).versions
        var found = Found()
        for (id, version) in packages {
            let versions = published[id]?.filter { $0.withdrawn == nil } ?? []
            found.published[id] = versions.first { $0.version == version }?.manifest
            guard let newest = versions.first(where: { $0.version != version }) else { continue }
            let path = ViewPath.manifest(id, newest.version, newest.manifest)
            let bytes = try await registry.viewFile(path, maximumByteCount: Manifest.maximumByteCount)
            if let bytes, Digest(of: bytes) == newest.manifest { found.manifests[id] = try Manifest(parsing: bytes) }
        }
        return found
    }
}
