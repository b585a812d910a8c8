package import Foundation
import PackSystem

/// The files that packtool keeps for a project: `.packtool/` beside its configuration.
package struct ProjectFolder: Sendable {
    package static let name = ".packtool"

    /// `.gitignore` of the folder: all but the root of trust stays out of git, for private keys are beside it.
    private static let ignored = "# Private keys and the local registry stay here.\n*\n!.gitignore\n!root.json\n"

    package let folder: URL

    package init(_ folder: URL) {
        self.folder = folder
    }

    /// The private keys. Never commit them.
    package var keys: URL { folder.appending(path: "keys", directoryHint: .isDirectory) }
    /// The embedded default registry.
    package var registry: URL { folder.appending(path: "registry", directoryHint: .isDirectory) }
    /// The app's root of trust. It is public: commit it and embed it in the app.
    package var root: URL { folder.appending(path: "root.json", directoryHint: .notDirectory) }
    /// The metadata of a registry that publishing has seen.
    package var trust: URL { folder.appending(path: "trust", directoryHint: .isDirectory) }

    /// Creates the folder and excludes it from git. An existing `.gitignore` is not changed.
    package func make() throws {
        try SystemCall.makeFolders(folder)
        let file = folder.appending(path: ".gitignore", directoryHint: .notDirectory)
        if SystemCall.size(of: file) == nil { try SystemCall.replace(file, with: Array(Self.ignored.utf8)) }
    }
}
