import Foundation
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI

/// A registry folder that packtool 0.1.0 made, with its keys: Tests/Data/registry-0.1.0.tar.gz has two packages of three versions,
/// shares that grew, a rollback, a withdrawal and a token.
struct EarlierRegistry {
    /// A day after it was made.
    static let now = Date(timeIntervalSince1970: 1_795_460_722) + 86_400
    static let token = "ptk_4hr-AAiq9JbmHxNnG5-6JQ6JHaSVUP7K7rvxAg_8t89uIhrB"

    let folder: TemporaryFolder

    var registry: URL { folder.url.appending(path: "registry") }
    var view: URL { registry.appending(path: "view", directoryHint: .isDirectory) }
    var root: [UInt8] { get throws { Array(try Data(contentsOf: folder.url.appending(path: "root.json"))) } }

    init() throws {
        folder = try TemporaryFolder()
        try folder.unpack("registry-0.1.0.tar.gz")
    }

    /// Publishes a version with the keys of then.
    func publish(_ site: Site, over registry: any Registry) async throws {
        let keys = try KeyFolder(folder: folder.url.appending(path: "keys"), environment: [:]).signingKeys()
        let trust = try PublisherTrust(
            registry: registry, root: root, store: FolderTrustStore(folder: folder.url.appending(path: "trust")),
            now: { Self.now })
        try await Publisher(registry: registry, trust: trust, keys: keys, now: { Self.now }).publish([site.zip])
    }

    /// Every file below the folder, with its content.
    func content() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for path in try folder.listing("registry") {
            found[path] = try Data(contentsOf: registry.appending(path: path))
        }
        return found
    }
}

extension TemporaryFolder {
    /// - Parameter name: of an archive in Tests/Data.
    func unpack(_ name: String) throws {
        let archive = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Data/\(name)")
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments = ["tar", "-xzf", archive.standardized.path, "-C", url.path]
        try tar.run()
        tar.waitUntilExit()
        try #require(tar.terminationStatus == 0)
    }
}
