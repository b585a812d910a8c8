import Foundation
import PackFormat

/// The files of a registry folder. `docs/REGISTRY.md` has the order in which they are written.
struct RegistryFolder: Sendable {
    let root: URL

    init(_ root: URL) {
        self.root = URL(filePath: root.path(percentEncoded: false), directoryHint: .isDirectory).standardizedFileURL
    }

    /// The truth: everything but object bytes and private keys.
    var database: URL { root.appending(path: "registry.sqlite", directoryHint: .notDirectory) }
    /// What devices reported. It is apart from the truth, and may be lost.
    var reports: URL { root.appending(path: "reports.sqlite", directoryHint: .notDirectory) }
    var hasReports: Bool { FileManager.default.fileExists(atPath: reports.path(percentEncoded: false)) }
    /// What readers see; content store and derived files in one.
    var view: URL { root.appending(path: "view", directoryHint: .isDirectory) }
    var objects: URL { view.appending(path: "objects", directoryHint: .isDirectory) }
    var keys: URL { root.appending(path: "keys", directoryHint: .isDirectory) }
    /// The keys of the online roles, mode 0600: they can select among published versions and add none.
    var onlineKeys: URL { keys.appending(path: "online.json", directoryHint: .notDirectory) }
    /// Work in progress, on the file system of the view so that it can be renamed into it.
    var uploads: URL { root.appending(path: "uploads", directoryHint: .isDirectory) }
    /// Held while the view is written.
    var lock: URL { root.appending(path: "lock", directoryHint: .notDirectory) }

    /// Held while the database is opened, made or migrated.
    var openLock: URL { root.appending(path: "open.lock", directoryHint: .notDirectory) }
    /// What a server of 0.1 locks as long as it runs.
    var earlierServerLock: URL { root.appending(path: "serve.lock", directoryHint: .notDirectory) }

    /// Held while the database of reports is opened, made or migrated, which can take minutes.
    var reportsLock: URL { root.appending(path: "reports.lock", directoryHint: .notDirectory) }

    /// A file for each lease that is held, locked by its holder.
    var leases: URL { root.appending(path: "leases", directoryHint: .isDirectory) }

    /// There since the view was last found complete, file by file.
    var viewCheck: URL { root.appending(path: "view.checked", directoryHint: .notDirectory) }

    /// Its time is when the files in remote storage that every device reads were last looked for.
    var storageLook: URL { root.appending(path: "storage.looked", directoryHint: .notDirectory) }

    var exists: Bool { FileManager.default.fileExists(atPath: database.path(percentEncoded: false)) }

    func view(_ path: ViewPath) -> URL { view(path.description) }

    func view(_ path: String) -> URL { view.appending(path: path, directoryHint: .notDirectory) }

    var name: String { root.path(percentEncoded: false) }
}
