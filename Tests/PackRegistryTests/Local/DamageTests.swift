import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// Registries that were edited, damaged, or written by a newer program.
struct DamageTests {
    private func sqlite(_ shop: Shop, _ sql: String) throws {
        _ = try shop.local.database.write { try $0.execute(sql: sql) }
    }

    @Test func `a registry of a newer program is refused`() async throws {
        let shop = try await Shop()
        try sqlite(shop, "INSERT INTO grdb_migrations (identifier) VALUES ('99: from the future')")
        let error = await #expect(throws: RegistryError.self) { try await LocalRegistry.open(shop.local.folder) }
        #expect(error?.kind == .unusable && error?.message.contains("newer packtool") == true)
    }

    @Test func `a file that is no database is refused`() async throws {
        let folder = try TemporaryFolder()
        try Data("this is not SQLite, and is long enough to have a header".utf8)
            .write(to: folder.url.appending(path: "registry.sqlite"))
        let error = await #expect(throws: RegistryError.self) { try await LocalRegistry.open(folder.url) }
        #expect(error?.kind == .unusable)
    }

    @Test func `a folder without a registry says how to make one`() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: RegistryError.self) { try await LocalRegistry.open(folder.url) }
        #expect(error?.kind == .notFound && error?.message.contains("packtool init") == true)
    }

    @Test(arguments: [
        "UPDATE release SET percent = 7, manifest = NULL, retry = -1", "UPDATE manifest SET version = 'x'",
        "UPDATE token SET scope = '{'", "UPDATE metadata SET bytes = X'00' WHERE role = 'targets'",
        "UPDATE manifest SET bytes = X'7B7D'", "UPDATE release SET id = ''",
    ])
    func `a damaged row is an error and never a crash`(sql: String) async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        _ = try await shop.registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
        _ = try await shop.registry.createToken(
            TokenRequest(name: "ci", scope: TokenScope(actions: [.admin]), expires: nil))
        try sqlite(shop, sql)
        var failures = 0
        var others: [any Error] = []
        let attempts: [() async throws -> Void] = [
            { _ = try await shop.registry.overview() }, { _ = try await shop.registry.tokens() },
            { _ = try await shop.local.manifest(of: package(), version("1.0.0")) },
            { _ = try await shop.registry.change(.retry(), of: package(), on: channel()) },
            { try await shop.publisher().publish([shop.page("1.1.0", package: "help").zip]) },
        ]
        for attempt in attempts {
            do { try await attempt() } catch {
                failures += 1
                if !(error is RegistryError) { others.append(error) }
            }
        }
        #expect(failures > 0)
        #expect(others.isEmpty, "\(others)")
    }

    /// It has what no row has: a gate that is off would be on again.
    @Test(arguments: [
        "UPDATE channelFile SET bytes = X'7B7D'",
        "UPDATE channelFile SET bytes = CAST(replace(bytes, '1', '2') AS BLOB)",
    ])
    func `a channel file that is damaged is an error with its name, and nothing is signed`(sql: String) async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip, shop.page("1.1.0").zip])
        _ = try await shop.registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
        _ = try await shop.registry.change(.gate(package(), isOn: false), on: channel())
        _ = try await shop.registry.change(.poll(ChannelPoll(seconds: 900, jitter: 60)), on: channel())
        try sqlite(shop, sql)
        let before = try shop.viewListing
        let plan = try RolloutPlan(parsing: Array("{\"steps\": [{\"share\": 5}]}".utf8), named: "plan")
        let attempts: [() async throws -> Void] = [
            { _ = try await shop.registry.change(.offer(version("1.1.0")), of: package(), on: channel()) },
            { _ = try await shop.registry.change(.rollBackToEmbedded, of: package(), on: channel()) },
            { _ = try await shop.registry.change(.gate(package(), isOn: true), on: channel()) },
            {
                _ = try await shop.registry.rollout(
                    RolloutRequest(.plan(plan), of: version("1.1.0")), of: package(), on: channel())
            },
            { _ = try await shop.registry.release(ReleaseSet(versions: [package(): version("1.1.0")]), on: channel()) },
            { _ = try await shop.registry.channelFile(channel(), at: nil) },
            { _ = try await shop.registry.overview() },
        ]
        for (index, attempt) in attempts.enumerated() {
            let error = await #expect(throws: RegistryError.self, "\(index)") { try await attempt() }
            #expect(error?.kind == .unusable, "\(index)")
            for part in ["channels/beta.v2.json", "nothing was signed", "Restore it from a backup"] {
                #expect(error?.message.contains(part) == true, "\(index): \(String(describing: error))")
            }
        }
        #expect(try shop.viewListing == before)
    }

    @Test func `published versions and the audit log cannot be edited by mistake`() async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        for sql in [
            "DELETE FROM version", "UPDATE version SET version = '9.9.9'", "DELETE FROM audit",
            "UPDATE audit SET actor = 'nobody'",
        ] {
            #expect(throws: RegistryError.self, "\(sql)") { try sqlite(shop, sql) }
        }
    }

    @Test(arguments: [["metadata", "targets"], ["metadata"], ["targets"], ["targets/channels"], ["targets/manifests"]])
    func `what was deleted of a view is made again, but for the objects`(names: [String]) async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        _ = try await shop.registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
        let before = try shop.viewListing
        for name in names {
            try FileManager.default.removeItem(at: shop.local.viewFolder.appending(path: name))
        }
        _ = try await LocalRegistry.open(shop.local.folder)
        #expect(try shop.viewListing == before)
    }

    @Test(arguments: ["packages", "patches"])
    func `downloads that were deleted are made again by the next command`(name: String) async throws {
        let shop = try await Shop()
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        try await shop.local.maintain()
        let before = try shop.viewListing
        try #require(before.contains { $0.hasPrefix(name) })
        try FileManager.default.removeItem(at: shop.local.viewFolder.appending(path: name))
        try await shop.local.maintain()
        #expect(try shop.viewListing == before)
    }

    @Test func `what an interrupted process left under uploads goes with the next one`() async throws {
        let shop = try await Shop()
        let left = shop.local.uploadFolder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: left.appending(path: "object"))
        try await shop.publisher().publish([shop.page("1.0.0").zip])
        #expect(try shop.folder.listing("project/registry/uploads") == ["lock"])
    }
}
