import Foundation
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistry
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// The view is brought up to date by what changed, and ends as a complete check would leave it.
struct ViewUpdateTests {
    /// Four versions, two channels, a rollback and a withdrawal.
    private func busyShop() async throws -> Shop {
        let shop = try await Shop()
        for (number, name) in ["checkout", "help", "cart"].enumerated() {
            for version in ["1.0.0", "1.1.0", "1.2.0"] {
                try await shop.publisher().publish([shop.page(version, package: name).zip])
                _ = try await shop.registry.change(
                    .offer(try SemanticVersion(version), try Rollout(percent: 10 + 30 * number)), of: package(name),
                    on: channel(number == 2 ? "stable" : "beta"))
            }
        }
        _ = try await shop.registry.change(
            .rollBack(to: version("1.0.0")), of: package("help"), on: channel())
        try await shop.publisher().withdraw(version("1.2.0"), of: package(), reason: "a test")
        return shop
    }

    /// Like ``Shop/viewListing`` with each file's digest.
    private func content(_ shop: Shop) throws -> [String: Digest] {
        var content: [String: Digest] = [:]
        for path in try shop.viewListing {
            content[path] = try Digest(of: Data(contentsOf: shop.local.viewFolder.appending(path: path)))
        }
        return content
    }

    @Test func `what updates leave is what a complete check would leave`() async throws {
        let shop = try await busyShop()
        let before = try content(shop)
        try await shop.local.check()
        let after = try content(shop)
        #expect(Set(before.keys).symmetricDifference(after.keys) == [])
        #expect(before == after)
    }

    @Test func `versions of metadata that are no longer kept leave the view`() async throws {
        let shop = try await busyShop()
        for percent in 1...MetadataLifetime.keptVersions + 4 {
            _ = try await shop.registry.change(
                .setRollout(try Share(percent: percent)), of: package("cart"), on: channel("stable"))
        }
        let channels = try shop.viewListing.filter { $0.hasSuffix(".channels.json") }
        #expect(channels.count == MetadataLifetime.keptVersions)
        let before = try shop.viewListing
        try await shop.local.check()
        #expect(try shop.viewListing == before)
    }

    @Test(arguments: [1, 5, MetadataLifetime.keptVersions])
    func `commits that were never shown are shown by the next process`(commits: Int) async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        let view = shop.local.viewFolder
        let old = shop.folder.url.appending(path: "old")
        try FileManager.default.copyItem(at: view, to: old)
        for number in 1...commits {
            try await shop.publisher().publish([shop.page("1.\(number).0").zip])
            _ = try await shop.registry.change(
                .offer(version("1.\(number).0"), .everyone), of: package(), on: channel())
        }
        let expected = try content(shop)
        // As after a kill between the commit and the view; the objects were there before the commit.
        for name in ["metadata", "targets"] {
            try FileManager.default.removeItem(at: view.appending(path: name))
            try FileManager.default.copyItem(at: old.appending(path: name), to: view.appending(path: name))
        }
        _ = try await LocalRegistry.open(shop.local.folder)
        let found = try content(shop)
        // Channel files between the two were never named by a snapshot that anybody saw.
        #expect(Set(expected.keys).subtracting(found.keys).allSatisfy { $0.hasPrefix("targets/channels/") })
        #expect(found.allSatisfy { expected[$0.key] == $0.value })
        #expect(try await shop.releases() == ["1.\(commits).0@100"])
    }

    @Test func `what another process recorded and did not show is shown by the next round of maintenance`() async throws
    {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        let view = shop.local.viewFolder
        let old = shop.folder.url.appending(path: "old")
        try FileManager.default.copyItem(at: view, to: old)
        _ = try await shop.registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
        for name in ["metadata", "targets"] {
            try FileManager.default.removeItem(at: view.appending(path: name))
            try FileManager.default.copyItem(at: old.appending(path: name), to: view.appending(path: name))
        }
        try await shop.local.maintain()
        #expect(try await shop.releases() == ["1.0.0@100"])
    }

    @Test func `a single file that was lost is written by the complete check`() async throws {
        let shop = try await busyShop()
        let before = try shop.viewListing
        let lost = try #require(before.first { $0.contains("manifests/cart/") && $0.hasSuffix(".1.1.0.json") })
        try FileManager.default.removeItem(at: shop.local.viewFolder.appending(path: lost))
        let check = shop.local.files.viewCheck
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -2 * ViewCheck.interval)], ofItemAtPath: check.path)
        _ = try await LocalRegistry.open(shop.local.folder)
        #expect(try shop.viewListing == before)
        #expect(ViewCheck(folder: shop.local.files).isRecent)
    }

    @Test func `a repair that was interrupted is begun again`() async throws {
        let shop = try await busyShop()
        let before = try shop.viewListing
        let manifests = before.filter { $0.contains("manifests/cart/") }
        for path in manifests { try FileManager.default.removeItem(at: shop.local.viewFolder.appending(path: path)) }
        // It is marked before the first file is written.
        try FileManager.default.removeItem(at: shop.local.files.viewCheck)
        _ = try await LocalRegistry.open(shop.local.folder)
        #expect(try shop.viewListing == before)
    }

    @Test func `a server looks for every file when it starts`() async throws {
        let shop = try await busyShop()
        let before = try shop.viewListing
        let lost = try #require(before.first { $0.contains("manifests/cart/") && $0.hasSuffix(".1.1.0.json") })
        try FileManager.default.removeItem(at: shop.local.viewFolder.appending(path: lost))
        let lease = try #require(try await shop.local.claimForServer())
        let maintenance = Task { await shop.local.runMaintenance(under: lease) { _ in } }
        while try !shop.viewListing.contains(lost) { try await Task.sleep(for: .milliseconds(5)) }
        maintenance.cancel()
        await maintenance.value
    }

    @Test func `a channel file that is changed for one package is the one that all releases give`() async throws {
        let shop = try await busyShop()
        func files() throws -> [String] { try shop.viewListing.filter { $0.hasPrefix("targets/channels/") }.sorted() }
        let before = try files()
        let releases = { (channel: ChannelName) in
            try shop.local.database.read { try ReleaseTable(db: $0).histories(on: channel) }.mapValues {
                ChannelFile.Package(releases: $0.offered)
            }
        }
        try await shop.record { changes, facts in
            for channel in facts.channelNames {
                changes.channelFiles.append(
                    ChannelFile(app: "shop", channel: channel, packages: try releases(channel)))
            }
        }
        #expect(try files() == before)
        #expect(try await shop.channel("beta").packages.count == 2)
        #expect(try await shop.channel("stable").packages.count == 1)
    }

    @Test func `only packages that changed are looked at for work`() async throws {
        let shop = try await busyShop()
        let work = { try shop.local.database.read { try BuildQueueTable(db: $0).packages().map(\.text) } }
        #expect(try work() == ["cart", "checkout", "help"])
        try await shop.local.maintain()
        #expect(try work().isEmpty)
        _ = try await shop.registry.change(.setRollout(.whole), of: package("cart"), on: channel("stable"))
        #expect(try work() == ["cart"])
        try await shop.local.maintain()
        try FileManager.default.removeItem(at: shop.local.viewFolder.appending(path: "packages/help-1.1.0.zip"))
        try await shop.local.check()
        #expect(try work() == ["help"])
    }

    @Test func `a registry of the first schema is migrated with its pins and its work`() async throws {
        let shop = try await Shop()
        let bundle = try Site("common", "1.0.0", ["vendor.js": "shared"], entry: nil, in: shop.folder)
        let page = try Site(
            "checkout", "1.0.0", ["index.html": "page"], bundles: [bundle], shared: ["vendor.js": ("common", "shared")],
            in: shop.folder)
        try await shop.publisher().publish([page.zip, bundle.zip])
        let pins = { (registry: LocalRegistry) in
            try registry.database.read {
                try Row.fetchAll($0, sql: "SELECT bundle, manifest FROM pin").map { "\($0.values)" }
            }
        }
        let before = try pins(shop.local)
        #expect(before.count == 1)
        try shop.local.database.write { db in
            let indexes = ["releaseByManifest", "metadataByRole", "releaseBySet"]
            for index in indexes { try db.execute(sql: "DROP INDEX \(index)") }
            let tables = [
                "work", "siteWork", "pin", "encoding", "releaseEvent", "object", "lease", "groupFile", "webhook",
                "delivery",
                "expiryNotice", "approvalEvent", "removal", "provenance",
            ]
            for table in tables { try db.execute(sql: "DROP TABLE \(table)") }
            for column in [
                "release DROP COLUMN share", "release DROP COLUMN audiences", "channelFile DROP COLUMN format",
                "release DROP COLUMN setID", "release DROP COLUMN app", "release DROP COLUMN policy",
                "version DROP COLUMN note", "version DROP COLUMN sourceCommit", "manifest DROP COLUMN state",
                "version DROP COLUMN pruned", "token DROP COLUMN trust", "token DROP COLUMN parent",
            ] {
                try db.execute(sql: "ALTER TABLE \(column)")
            }
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier NOT LIKE '1:%'")
        }
        let opened = try await LocalRegistry.open(shop.local.folder)
        #expect(try pins(opened) == before)
        #expect(
            try opened.database.read { try BuildQueueTable(db: $0).packages().map(\.text) } == ["checkout", "common"])
    }
}
