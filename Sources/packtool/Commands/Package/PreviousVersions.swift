import Foundation
import PackBuilder
import PackFormat
import PackRegistry

/// The versions that a registry had before a build, for the part of the report that says what grew.
///
/// A build needs no registry: where none is reachable within a few seconds, the report has no such part.
struct PreviousVersions {
    private static let patience = Duration.seconds(5)

    private let options: RegistryOptions
    private let console: Console

    init(_ options: RegistryOptions, console: Console) {
        self.options = options
        self.console = console
    }

    /// The newest published manifest of each package that is not the one just built.
    func manifests(before packages: [BuiltPackage]) async -> [PackageID: Manifest] {
        guard let registry = open() else { return [:] }
        return await withTaskGroup(of: [PackageID: Manifest].self) { group in
            group.addTask { (try? await Self.read(registry, packages)) ?? [:] }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return [:]
            }
            defer { group.cancelAll() }
            return await group.next() ?? [:]
        }
    }

    private func open() -> (any Registry)? {
        // Silently: that there is no registry is no fault of a build.
        let quiet = Console(isJSON: console.isJSON, isQuiet: true)
        return try? RegistrySession(options, console: quiet).registry
    }

    private static func read(_ registry: any Registry, _ packages: [BuiltPackage]) async throws -> [PackageID: Manifest]
    {
        let published = try await registry.overview().versions
        var manifests: [PackageID: Manifest] = [:]
        for package in packages {
            let id = package.manifest.package
            guard
                let newest = published[id]?.first(where: {
                    $0.withdrawn == nil && $0.version != package.manifest.version
                })
            else { continue }
            let name = "\(newest.manifest).\(newest.version).json"
            let path = "\(ViewLayout.targetsFolder)/manifests/\(id)/\(name)"
            let bytes = try await registry.viewFile(path, maximumByteCount: Manifest.maximumByteCount)
            if let bytes, Digest(of: bytes) == newest.manifest { manifests[id] = try Manifest(parsing: bytes) }
        }
        return manifests
    }
}
