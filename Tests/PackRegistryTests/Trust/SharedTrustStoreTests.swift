import Foundation
import PackFormat
import PackTrust
import Synchronization
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI

/// Commands of one project, at once: all keep what they have seen of the registry in the same folder.
@Suite("SharedTrustStoreTests") struct SharedTrustStoreTests {
    /// A registry that hands its timestamps over in its own way.
    private final class OtherRegistry: RegistryReading {
        private let registry: any Registry
        private let count = Mutex(0)
        private let timestamp: @Sendable (_ number: Int, _ bytes: [UInt8]?) async -> [UInt8]?

        init(
            _ registry: any Registry,
            timestamp: @escaping @Sendable (_ number: Int, _ bytes: [UInt8]?) async -> [UInt8]?
        ) {
            self.registry = registry
            self.timestamp = timestamp
        }

        func viewFile(_ path: ViewPath, maximumByteCount: Int) async throws -> [UInt8]? {
            let bytes = try await registry.viewFile(path, maximumByteCount: maximumByteCount)
            guard path == .timestamp else { return bytes }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return await timestamp(number, bytes)
        }

        func overview(of packages: Set<PackageID>?) async throws -> RegistryOverview {
            try await registry.overview(of: packages)
        }

        func channelFile(_ channel: ChannelName, at time: Date?) async throws -> ChannelFile? {
            try await registry.channelFile(channel, at: time)
        }

        func planProgress(
            of package: PackageID, on channel: ChannelName, at time: Date?
        ) async throws -> [String: PlanProgress] {
            try await registry.planProgress(of: package, on: channel, at: time)
        }

        func copyViewFile(_ path: ViewPath, to file: URL) async throws -> Bool {
            try await registry.copyViewFile(path, to: file)
        }
    }

    @Test func `a server that is some seconds behind is waited for`() async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        let older = try #require(await shop.registry.viewFile(.timestamp, maximumByteCount: 100_000))
        try await shop.publisher().publish([shop.page("1.1.0").zip])
        let clock = shop.clock
        let root = try Array(Data(contentsOf: shop.project.root))
        let store = try FolderTrustStore(folder: shop.folder.url.appending(path: "trust"))
        _ = try await PublisherTrust(registry: shop.registry, root: root, store: store, now: { clock.now }).refresh()
        let asked = Mutex(0)
        let behind = OtherRegistry(shop.registry) { number, bytes in
            asked.withLock { $0 = number }
            return number <= 4 ? older : bytes
        }
        let pauses = PublisherTrust.pauses
        // A server looks at its bucket again after ten.
        #expect(pauses.reduce(.zero, +) > .seconds(10))
        _ = try await PublisherTrust(
            registry: behind, root: root, store: store, pauses: pauses.map { _ in .milliseconds(1) }, now: { clock.now }
        ).refresh()
        #expect(asked.withLock { $0 } == 5)
        let newest = try await shop.registry.viewFile(.timestamp, maximumByteCount: 100_000)
        #expect(try store.read("timestamp.json") == newest && newest != older)
    }

    @Test func `a command that read before another one published is not told that the registry went back`() async throws
    {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        let store = try FolderTrustStore(folder: shop.folder.url.appending(path: "trust"))
        let second = try shop.page("1.1.0").zip
        @Sendable func trust(_ registry: any RegistryReading) throws -> PublisherTrust {
            let clock = shop.clock
            return try PublisherTrust(
                registry: registry, root: Array(Data(contentsOf: shop.project.root)), store: store,
                shared: shop.project.root, now: { clock.now })
        }
        let other = Mutex<Task<Int, any Error>?>(nil)
        let late = OtherRegistry(shop.registry) { number, bytes in
            guard number == 1 else { return bytes }
            let task = Task {
                try await shop.publisher().publish([second])
                return try await trust(shop.registry).refresh().targets.body.version
            }
            other.withLock { $0 = task }
            // Without a lock it has refreshed by then.
            try? await Task.sleep(for: .milliseconds(500))
            return bytes
        }
        let first = try await trust(late).refresh().targets.body.version
        let task = try #require(other.withLock { $0 })
        #expect(try await task.value >= first)
        // What stays is the newest.
        let kept = try #require(try store.read("timestamp.json"))
        #expect(try await shop.registry.viewFile(.timestamp, maximumByteCount: 100_000) == kept)
    }
}
