import Foundation
import PackFormat
import PackHost
import PackUpdater
import Testing

/// What a shell that shows a folder reads from it.
@Suite(.serialized)
struct LiveUpdateManagerTests {
    private static func title(_ folder: URL?) throws -> String {
        let folder = try #require(folder)
        return try String(contentsOf: folder.appendingPathComponent("index.html"), encoding: .utf8)
    }

    private static func publish(_ version: String, _ word: String, _ registry: ServedRegistry) throws {
        try registry.publish(version, ["index.html": "<title>\(word)</title>", "app.js": "say('\(word)')"])
    }

    @Test func `the folder is the active version's, follows updates, and stays for the page that was shown from it`()
        async throws
    {
        let registry = try ServedRegistry()
        try Self.publish("1.0.0", "one", registry)
        let host = try registry.host()
        try await host.start()
        let manager = LiveUpdateManager(of: registry.shop, in: host)
        #expect(manager.latestAppDirectory == nil)
        #expect(try await manager.start() == nil)
        let first = try await manager.update()
        #expect(try first.didUpdate && first.version == SemanticVersion("1.0.0"))
        let one = try #require(manager.latestAppDirectory)
        #expect(try Self.title(one) == "<title>one</title>")
        #expect(try await manager.start() == one)
        try await manager.confirm()
        #expect(try await host.updater.status().first?.isConfirmed == true)
        #expect(try await manager.update().didUpdate == false)

        for (version, word) in [("2.0.0", "two"), ("3.0.0", "three"), ("4.0.0", "four")] {
            try Self.publish(version, word, registry)
            #expect(try await manager.update().didUpdate)
            #expect(try Self.title(manager.latestAppDirectory) == "<title>\(word)</title>")
            try await manager.start()
            try await manager.confirm()
        }
        // The shell may still show the first folder.
        #expect(try Self.title(one) == "<title>one</title>")
        #expect(try String(contentsOf: one.appendingPathComponent("app.js"), encoding: .utf8) == "say('one')")

        // Without the network the app starts anew: what was installed is there before anything is asked.
        registry.stop()
        let offline = try registry.host()
        try await offline.start()
        let again = LiveUpdateManager(of: registry.shop, in: offline)
        #expect(try Self.title(again.latestAppDirectory) == "<title>four</title>")
        await #expect(throws: UpdateError.self) { try await again.update() }
        #expect(try Self.title(again.latestAppDirectory) == "<title>four</title>")
    }

    @Test func `a version that nobody confirms is left for the one before it`() async throws {
        let registry = try ServedRegistry()
        try Self.publish("1.0.0", "one", registry)
        let host = try registry.host { $0.maximumUnconfirmedStarts = 1 }
        try await host.start()
        let manager = LiveUpdateManager(of: registry.shop, in: host)
        await #expect(throws: UpdateError.self) { try await manager.confirm() }
        try await manager.update()
        try await manager.start()
        try await manager.confirm()
        try Self.publish("2.0.0", "two", registry)
        try await manager.update()
        #expect(try Self.title(await manager.start()) == "<title>two</title>")
        // The app is ended and starts anew.
        let next = try registry.host { $0.maximumUnconfirmedStarts = 1 }
        try await next.start()
        let after = LiveUpdateManager(of: registry.shop, in: next)
        #expect(try Self.title(await after.start()) == "<title>one</title>")
        #expect(try Self.title(after.latestAppDirectory) == "<title>one</title>")
    }

    @Test func `a package that the channel has switched off has no folder`() async throws {
        let registry = try ServedRegistry()
        try Self.publish("1.0.0", "one", registry)
        let host = try registry.host()
        try await host.update(.list([registry.shop]))
        let manager = LiveUpdateManager(of: registry.shop, in: host)
        #expect(manager.latestAppDirectory != nil)
        try registry.switchOff()
        try await host.refresh()
        #expect(manager.latestAppDirectory == nil)
        #expect(try await manager.start() == nil)
    }

    @Test func `a package that could not be updated is an error, and what was there stays`() async throws {
        let registry = try ServedRegistry()
        try Self.publish("1.0.0", "one", registry)
        let host = try registry.host()
        try await host.start()
        let manager = LiveUpdateManager(of: registry.shop, in: host)
        try await manager.update()
        try Self.publish("2.0.0", "two", registry)
        try registry.damageContent()
        await #expect(throws: LiveUpdateError.self) { try await manager.update() }
        #expect(try Self.title(manager.latestAppDirectory) == "<title>one</title>")
    }
}
