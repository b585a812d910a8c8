package import Foundation

/// The files that packtool keeps for a project, `.packtool/` beside its configuration.
package struct ProjectFolder: Sendable {
    package static let name = ".packtool"

    package let folder: URL

    package init(_ folder: URL) {
        self.folder = folder
    }

    /// Private keys; never to be committed.
    package var keys: URL { folder.appending(path: "keys", directoryHint: .isDirectory) }
    /// The embedded default registry.
    package var registry: URL { folder.appending(path: "registry", directoryHint: .isDirectory) }
    /// The app's root of trust: public, to be committed and to be embedded in the app.
    package var root: URL { folder.appending(path: "root.json", directoryHint: .notDirectory) }
    /// What publishing has seen of a registry's metadata.
    package var trust: URL { folder.appending(path: "trust", directoryHint: .isDirectory) }
}
