package import Foundation
package import PackFormat

/// A package zip in the output folder.
package struct BuiltPackage: Sendable {
    package let manifest: Manifest
    package let manifestDigest: Digest
    package let archive: URL
    /// The size of the zip in bytes.
    package let archiveSize: Int
    /// Whether this is the shared bundle.
    package let isBundle: Bool
    /// The bytes that the zip would have in addition if nothing had gone to the bundle.
    package let sharedSaving: Int
    /// The compressed size of each own file.
    package let compressedSizes: [PackagePath: Int]
    package let leftOut: [ScannedDist.LeftOut]

    /// The unpacked size of all files, including shared ones, in bytes.
    package var totalSize: Int { manifest.files.values.reduce(0) { $0 + $1.size } }
}

/// The result of a build and its messages.
package struct BuildReport: Sendable {
    /// The bundle first, if there is one, then the packages in the order of the dist folders.
    package let packages: [BuiltPackage]
    /// The warnings. A build with errors makes no report.
    package let findings: [Finding]
    /// The assumptions of the build, a sentence each.
    package let notes: [String]

    /// The bytes that the bundle saves in all zips together.
    package var sharedSaving: Int {
        let bundles = packages.filter(\.isBundle).reduce(0) { $0 + $1.archiveSize }
        return packages.reduce(0) { $0 + $1.sharedSaving } - bundles
    }
}
