package import Foundation
import PackArchive
package import PackFormat
package import PackSystem

/// The contents of a dist folder before any file is read.
package struct ScannedDist: Sendable {
    package struct File: Hashable, Sendable {
        package let path: PackagePath
        /// The place on disk, without symbolic links in the folders.
        package let place: String
        /// The file's state at the time of the scan.
        package let stamp: FileStamp

        /// The size in bytes at the time of the scan.
        package var size: Int { stamp.size }

        package var url: URL { URL(filePath: place, directoryHint: .notDirectory) }
    }

    /// A file or folder that is not packed, and the pattern that excludes it.
    package struct LeftOut: Hashable, Sendable {
        /// The path relative to the dist; a folder ends with a slash.
        package let path: String
        package let pattern: String
    }

    package let folder: URL
    /// The files sorted by path, each path once.
    package let files: [File]
    /// The excluded files and folders, sorted by path.
    package let leftOut: [LeftOut]
    /// Names that a package cannot contain, with the reason.
    package let invalidNames: [(path: String, reason: String)]

    package var totalSize: Int { files.reduce(0) { $0 + $1.size } }
}
