package import Foundation
package import PackFormat

/// A package zip that stands in the output folder.
package struct BuiltPackage: Sendable {
    package let manifest: Manifest
    package let manifestDigest: Digest
    package let archive: URL
    /// Bytes of the zip.
    package let archiveSize: Int
    /// Whether this is the shared bundle.
    package let isBundle: Bool
    /// Bytes that the zip would have besides, had nothing gone to the bundle.
    package let sharedSaving: Int
    /// The compressed size of each own file.
    package let compressedSizes: [PackagePath: Int]
    package let leftOut: [ScannedDist.LeftOut]

    /// Bytes of all files, shared ones too, unpacked.
    package var totalSize: Int { manifest.files.values.reduce(0) { $0 + $1.size } }
}

/// What a build made, and what it has to say.
package struct BuildReport: Sendable {
    /// The bundle first, if there is one, then the packages in the order of the dists.
    package let packages: [BuiltPackage]
    /// Warnings; a build with errors makes no report.
    package let findings: [Finding]
    /// What was taken for granted, a sentence each.
    package let notes: [String]

    /// Bytes that all zips together are smaller than without the bundle.
    package var sharedSaving: Int {
        let bundles = packages.filter(\.isBundle).reduce(0) { $0 + $1.archiveSize }
        return packages.reduce(0) { $0 + $1.sharedSaving } - bundles
    }
}
