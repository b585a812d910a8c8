import PackFormat

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The paths in a device's store.
package struct StoreLayout: Sendable {
    package let folder: URL

    var state: URL { folder.appending(path: "state.json") }
    var stateLock: URL { folder.appending(path: "state.lock") }
    var updateLock: URL { folder.appending(path: "update.lock") }
    var events: URL { folder.appending(path: "events.jsonl") }
    /// What waits to be reported.
    var reports: URL { folder.appending(path: "reports") }
    /// The TUF client's own files.
    var trust: URL { folder.appending(path: "trust") }
    /// The last channel file and what HTTP said about it: what makes an idle check cheap.
    var cache: URL { folder.appending(path: "cache") }
    /// What is under way: everything in it can be deleted at any time, at the price of downloading it again.
    var downloads: URL { folder.appending(path: "downloads") }
    var objects: URL { folder.appending(path: "objects") }
    /// What the files of installed versions looked like when they were verified: can be deleted.
    var verifiedFolder: URL { folder.appending(path: "verified") }
    var pins: URL { folder.appending(path: "pins") }
    var unzipFiles: URL { folder.appending(path: "unzipFiles") }

    func object(_ digest: Digest) -> URL {
        let hex = digest.hex
        return objects.appending(path: "\(hex.prefix(2))/\(hex)")
    }

    /// Where a download of a path of the view goes on.
    func partial(of path: String) -> URL {
        downloads.appending(path: Self.partialPrefix + Digest(of: Array(path.utf8)).hex.prefix(32))
    }

    /// How the names of resumable downloads start.
    static let partialPrefix = "part-"

    func trees(of package: PackageID) -> URL { unzipFiles.appending(path: package.text) }

    /// The site of one version, as files.
    func tree(_ package: PackageID, _ version: SemanticVersion) -> URL {
        trees(of: package).appending(path: version.description)
    }

    /// The manifests of versions that install themselves while pages use them, under the names of their pins: their
    /// objects stay.
    var arriving: URL { folder.appending(path: "arriving") }

    func arriving(_ package: PackageID, _ version: SemanticVersion) -> URL {
        arriving.appending(path: "\(package)@\(version)")
    }

    func verified(_ package: PackageID, _ version: SemanticVersion) -> URL {
        verifiedFolder.appending(path: "\(package)@\(version)")
    }

    func pin(_ package: PackageID, _ version: SemanticVersion) -> URL {
        pins.appending(path: "\(package)@\(version)")
    }
}
