package import Foundation
import PackArchive
package import PackFormat
package import PackSystem

/// What a dist folder holds, before anything of it is read.
package struct ScannedDist: Sendable {
    package struct File: Hashable, Sendable {
        package let path: PackagePath
        /// Where it is on disk, without symbolic links in the folders.
        package let place: String
        /// Its state when the folder was scanned.
        package let stamp: FileStamp

        /// Bytes, when the folder was scanned.
        package var size: Int { stamp.size }

        package var url: URL { URL(filePath: place, directoryHint: .notDirectory) }
    }

    /// A file or folder that is not packed, and the pattern that says so.
    package struct LeftOut: Hashable, Sendable {
        /// Relative to the dist; a folder ends with a slash.
        package let path: String
        package let pattern: String
    }

    package let folder: URL
    /// Sorted by path, each path once.
    package let files: [File]
    /// Sorted by path.
    package let leftOut: [LeftOut]
    /// Names that no package can hold, with the reason.
    package let invalidNames: [(path: String, reason: String)]

    package var totalSize: Int { files.reduce(0) { $0 + $1.size } }
}
