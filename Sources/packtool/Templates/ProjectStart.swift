import Foundation
import PackPublisher
import PackRegistryAPI
import PackRegistryLocal

/// What a new project needs besides its files: a registry and the keys of a single developer, in `.packtool/`.
struct ProjectStart {
    struct Made {
        let app: String
        let registry: URL
        let keys: URL
        let root: URL
    }

    private let project: ProjectFolder
    private let app: String
    private let initializer: RegistryInitializer
    private let location: RegistryLocation

    /// Checks everything that can be wrong before anything is written.
    init(_ current: CurrentProject, app: String?, _ options: RegistryOptions) throws {
        try options.authorities.trust()
        project = current.folder
        self.app = app ?? Self.appID(from: current.home)
        initializer = try RegistryInitializer(project: project, app: self.app)
        location = try options.location(of: current)
    }

    /// Whether the project has a key that signs packages, or the environment has one.
    var hasKeys: Bool {
        get throws {
            let keys = KeyFolder(folder: project.keys, environment: ProcessInfo.processInfo.environment)
            return try keys.source(.publisher) != nil
        }
    }

    /// Whether the project has a root of trust, which apps embed.
    var hasRoot: Bool { FileManager.default.fileExists(atPath: project.root.path(percentEncoded: false)) }

    /// Whether the registry is a server's.
    var isServer: Bool { if case .server = location { true } else { false } }

    /// Connects to the registry's database and storage, and looks whether they can have a new registry.
    /// - Returns: nil where nothing is to be made: there is a registry already, or it is a server's.
    func place() async throws -> RegistryPlace? {
        guard let place = try await RegistryPlace(location, isNew: true),
            try !LocalRegistry.exists(place.folder, rows: place.rows)
        else { return nil }
        return try await unlessMade(at: place) {
            try await initializer.check(at: place.folder, rows: place.rows, storage: place.storage)
            return place
        }
    }

    /// Makes the registry and what it lacks of keys; nil if another command made one a moment ago.
    func make(at place: RegistryPlace) async throws -> Made? {
        try await unlessMade(at: place) {
            _ = try await initializer.make(at: place.folder, rows: place.rows, storage: place.storage)
            return Made(app: app, registry: place.folder, keys: project.keys, root: project.root)
        }
    }

    /// - Returns: nil if another command has made the registry meanwhile.
    private func unlessMade<Value>(at place: RegistryPlace, _ body: () async throws -> Value) async throws -> Value? {
        do {
            return try await body()
        } catch let error as RegistryError where error.kind == .conflict {
            // The folder of files, or the bucket, belongs to another registry.
            guard try LocalRegistry.exists(place.folder, rows: place.rows) else { throw error }
            return nil
        }
    }

    /// The folder's name, with one `-` for what an app id cannot hold.
    private static func appID(from folder: URL) -> String {
        let parts = folder.lastPathComponent.split { character in
            guard let scalar = character.unicodeScalars.first, character.isASCII else { return true }
            return
                !(scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "._".unicodeScalars.contains(scalar))
        }
        let name = parts.joined(separator: "-").prefix(100)
        return name.isEmpty ? "app" : String(name)
    }
}
