package import Foundation
import PackArchive
package import PackFormat
import PackRegistryAPI

/// Package zips that were opened and verified, and are not published yet.
///
///     let selection = try PackageSelection(zips).newest()
///     let published = try await publisher.publish(selection)
package struct PackageSelection: Sendable {
    /// The shared bundles first, because the others' manifests pin them.
    let archives: [PackageArchive]

    package var manifests: [Manifest] { archives.map(\.manifest) }

    /// - Throws: ``RegistryError`` for a zip that is not a valid package.
    package init(_ zips: [URL]) throws {
        let opened = try zips.map { zip in
            do { return try PackageArchive.open(zip) } catch let error as ArchiveError {
                throw RegistryError(.invalid, "\(error)")
            }
        }
        self.init(archives: opened)
    }

    private init(archives: [PackageArchive]) {
        self.archives =
            archives.filter { $0.manifest.entry == nil } + archives.filter { $0.manifest.entry != nil }
    }

    /// The highest version of each package, with the bundles that it pins: what to publish from a folder that many
    /// builds have written to.
    package func newest() -> PackageSelection {
        let highest = highestVersions
        let kept = archives.filter { $0.manifest.entry != nil && highest[$0.manifest.package] == $0.manifest.version }
        let pinned = Set(kept.flatMap { $0.manifest.shared.values.map(\.manifest) })
        return PackageSelection(archives: archives.filter { pinned.contains($0.sealed.digest) } + kept)
    }

    /// The highest version of each package that has pages: the one to offer.
    package var highestVersions: [PackageID: SemanticVersion] {
        Dictionary(
            archives.lazy.filter { $0.manifest.entry != nil }.map { ($0.manifest.package, $0.manifest.version) },
            uniquingKeysWith: max)
    }
}
