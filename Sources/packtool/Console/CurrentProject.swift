import Foundation
import PackBuilder
import PackPublisher

/// The project that a command runs in: the nearest `packtool.json` at or above a folder, and the `.packtool` beside it.
struct CurrentProject {
    /// nil if there is no `packtool.json`.
    let configuration: PackConfiguration?
    /// The configuration's folder, else the one given.
    let home: URL
    let folder: ProjectFolder

    /// - Throws: for a configuration that cannot be read.
    init(at folder: URL = .currentDirectory()) throws {
        let configuration = try PackConfiguration.nearest(to: folder)
        self.init(configuration, home: configuration?.file?.deletingLastPathComponent() ?? folder)
    }

    /// The project that starts, or has started, in just this folder, whatever is above it.
    static func startingIn(_ folder: URL) throws -> CurrentProject {
        let file = folder.appending(path: PackConfiguration.fileName, directoryHint: .notDirectory)
        let isThere = FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
        return CurrentProject(isThere ? try PackConfiguration(contentsOf: file) : nil, home: folder)
    }

    private init(_ configuration: PackConfiguration?, home: URL) {
        self.configuration = configuration
        self.home = home
        folder = ProjectFolder(home.appending(path: ProjectFolder.name, directoryHint: .isDirectory))
    }

    /// The folder that the web build writes, by the configuration of the working folder's project.
    static func dist() throws -> URL {
        guard let configuration = try PackConfiguration.nearest(to: .currentDirectory()),
            let dist = configuration.dist
        else { throw BuildError.noDist }
        return PackConfiguration.asWritten(configuration.resolve(dist))
    }

    /// Where the registry is by the configuration, else the project's own: a URL, or an absolute path.
    var registry: String {
        let configured = configuration?.registry.map { text in
            text.contains("://") ? text : configuration?.resolve(text).path(percentEncoded: false) ?? text
        }
        return configured ?? folder.registry.path(percentEncoded: false)
    }

    /// The bucket of the registry's files by the configuration.
    var storage: String? { configuration?.storage }

    /// The folder of the project's own registry.
    var registryFolder: URL { folder.registry }
}
