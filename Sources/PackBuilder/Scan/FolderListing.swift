import PackFormat

/// The contents of one folder of a dist.
struct FolderListing: Sendable {
    struct Folder: Sendable {
        /// Relative to the dist; empty for the dist itself.
        var path = ""
        /// Whether what is in it stands in the place of the manifest.
        var isReserved = false
    }

    enum Entry: Sendable {
        case file(ScannedDist.File)
        case folder(Folder)
    }

    /// In the order of the paths below them.
    var entries: [Entry] = []
    var fileCount = 0
    /// The number, among all folders, of the first one in this folder; the others follow it.
    var firstFolder = 0
    var leftOut: [ScannedDist.LeftOut] = []
    var invalidNames: [(path: String, reason: String)] = []
    /// Files that no pattern decides over and that are named as compressed copies of others.
    var compressed: [(path: PackagePath, original: String)] = []
    /// Zips that no pattern decides over.
    var archives: [ScannedDist.File] = []
}
