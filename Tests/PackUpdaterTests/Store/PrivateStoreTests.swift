import Foundation
import PackFormat
import Testing

@testable import PackUpdater

/// What a store says about its owner is for the owner alone.
struct PrivateStoreTests {
    let registry: TestRegistry
    let device: TestDevice

    init() throws {
        registry = try TestRegistry()
        device = try TestDevice(registry)
        let one = try registry.publish("checkout", "1.0.0", ["index.html": "one", "a/b.js": "b"])
        try registry.release("checkout", one, release: "r1")
    }

    /// The paths to which others have a right, that are not links.
    func open() throws -> [String] {
        let root = device.store.path
        return try ([""] + FileManager.default.subpathsOfDirectory(atPath: root)).filter { path in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")
            return (attributes[.posixPermissions] as? Int ?? 0) & 0o077 != 0
        }.sorted()
    }

    @Test func `others can neither enter a store nor read its state`() async throws {
        try await device.updater().update(.all)
        try await device.confirm("checkout")
        let open = try open()
        #expect(!open.contains(""))
        // Content is read-only, and below folders that others cannot enter.
        #expect(open.allSatisfy { $0.hasPrefix("objects/") || $0.hasPrefix("unzipFiles/") }, "\(open)")
        let folders = open.filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(device.store.path)/\(path)", isDirectory: &isFolder)
            return isFolder.boolValue
        }
        #expect(folders == [])
    }

    @Test func `a store that an earlier version left open is closed when it is opened`() async throws {
        try await device.updater().update(.all)
        let state = device.store.appending(path: "state.json").path
        chmod(device.store.path, 0o755)
        chmod(state, 0o644)
        _ = try device.updater()
        for (path, mode) in [(device.store.path, 0o700), (state, 0o600)] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
        }
    }

    @Test func `a folder that is no store yet keeps its rights`() throws {
        try FileManager.default.createDirectory(at: device.store, withIntermediateDirectories: true)
        chmod(device.store.path, 0o755)
        _ = try device.updater()
        let mode = try FileManager.default.attributesOfItem(atPath: device.store.path)[.posixPermissions] as? Int
        #expect(mode == 0o755)
    }

    @Test func `a channel file of another app is refused, by the name that is given and by the first one seen`()
        async throws
    {
        let other = try TestRegistry(app: "bank")
        let one = try other.publish("checkout", "9.0.0", ["index.html": "the bank's"])
        try other.release("checkout", one, release: "r1")
        let stranger = try TestDevice(other)
        stranger.configuration.app = "shop"
        let refusal = UpdateError.notTrusted(
            reason: "its channel \"beta\" is of the app \"bank\", and this device is one of the app \"shop\": give the "
                + "address of that app's registry")
        await #expect(throws: refusal) { try await stranger.updater().update(.all) }
        #expect(try await stranger.page("checkout") == nil)

        try await device.updater().update(.all)
        try await device.confirm("checkout")
        let moved = device.registry.signed.appending(path: ViewLayout.channelTarget(other.channel))
        try Data(contentsOf: other.signed.appending(path: ViewLayout.channelTarget(other.channel))).write(to: moved)
        await #expect(throws: refusal) { try await device.updater().update(.all) }
        #expect(try await device.page("checkout") == "one")
    }
}
