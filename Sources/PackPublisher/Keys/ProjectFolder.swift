package import Foundation
import PackSystem

/// The files that packtool keeps for a project, `.packtool/` beside its configuration.
package struct ProjectFolder: Sendable {
    package static let name = ".packtool"

    /// `.gitignore` of the folder: all but the root of trust stays out of git, for private keys are beside it.
    private static let ignored = "# Private keys and the local registry stay here.\n*\n!.gitignore\n!root.json\n"

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

    /// Makes the folder, and keeps git away from it; a `.gitignore` that is there is left as it is.
    package func make() throws {
        try SystemCall.makeFolders(folder)
        let file = folder.appending(path: ".gitignore", directoryHint: .notDirectory)
        if SystemCall.size(of: file) == nil { try SystemCall.replace(file, with: Array(Self.ignored.utf8)) }
    }
}
