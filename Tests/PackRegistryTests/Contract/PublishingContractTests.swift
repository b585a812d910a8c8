import Foundation
import PackArchive
import PackFormat
import PackTrust
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// What publishing does, whatever the registry.
struct PublishingContractTests {
    @Test(arguments: RegistryKind.allCases)
    func `the same content again is a no-op, other content is refused`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let site = try shop.page("1.0.0")
            let publisher = try shop.publisher(over: registry)
            #expect(try await publisher.publish([site.zip]).map(\.outcome) == [.published])
            let listing = try await shop.fileNames
            #expect(try await publisher.publish([site.zip]).map(\.outcome) == [.unchanged])
            #expect(try await shop.fileNames == listing)

            let other = try Site("checkout", "1.0.0", ["index.html": "other"], in: shop.folder)
            await #expect(throws: RegistryError.self) { try await publisher.publish([other.zip]) }
            // Past the client's own check, too.
            let error = await #expect(throws: RegistryError.self) { try await registry.upload(archive: other.zip) }
            #expect(error?.kind == .conflict)
            #expect(try await shop.fileNames == listing)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `only objects that the registry lacks are sent`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let publisher = try shop.publisher(over: registry)
            let first = try shop.page("1.0.0")
            let second = try shop.page("1.1.0")
            #expect(
                try await registry.missingObjects(of: first.manifest.bytes)
                    == Set(first.manifest.ownObjects.map(\.digest)))
            #expect(try await publisher.publish([first.zip]).first?.sentCount == 2)
            let page = try #require(try second.manifest.files[PackagePath("index.html")])
            #expect(try await registry.missingObjects(of: second.manifest.bytes) == [page.digest])
            let published = try await publisher.publish([second.zip])
            #expect(published.first?.sentCount == 1)
            #expect(published.first?.sentSize == page.size)
            let zip = shop.folder.url.appending(path: "again.zip")
            try await shop.local.maintain()
            #expect(try await registry.copyViewFile(.archive(package(), version("1.1.0")), to: zip))
            #expect(try Data(contentsOf: zip) == Data(contentsOf: second.zip))
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `an upload that leaves out what the registry lacks is refused and leaves nothing`(
        kind: RegistryKind
    ) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let site = try shop.page("1.0.0")
            let before = try await shop.fileNames
            let partial = shop.folder.url.appending(path: "partial.zip")
            try ArchiveWriter.write(
                [ContentRequest(.bytes(site.manifest.bytes), path: PackagePath(Manifest.fileName))], to: partial)
            let error = await #expect(throws: RegistryError.self) { try await registry.upload(archive: partial) }
            #expect(error?.kind == .invalid)
            #expect(error?.message.contains("index.html") == true || error?.message.contains("app.js") == true)
            #expect(try await shop.fileNames == before)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a damaged zip is refused by the name of its fault`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let site = try shop.page("1.0.0")
            var bytes = try Data(contentsOf: site.zip)
            bytes.removeLast(30)
            let cut = shop.folder.url.appending(path: "cut.zip")
            try bytes.write(to: cut)
            let before = try await shop.fileNames
            let error = await #expect(throws: RegistryError.self) { try await registry.upload(archive: cut) }
            #expect(error?.kind == .invalid)
            #expect(try await shop.fileNames == before)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a manifest that was not uploaded cannot be published`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let error = await #expect(throws: RegistryError.self) {
                try await registry.publish(manifest: Digest(of: Data("x".utf8)), role: Array("{}".utf8), note: .none)
            }
            #expect(error?.kind == .notFound)
        }
    }

    /// A shared bundle, and a page that pins it.
    private func sharing(_ shop: Shop) throws -> (bundle: Site, page: Site) {
        let bundle = try Site("common", "1.0.0", ["vendor.js": "shared"], entry: nil, in: shop.folder)
        let page = try Site(
            "checkout", "1.0.0", ["index.html": "page"], bundles: [bundle],
            shared: ["vendor.js": ("common", "shared")], in: shop.folder)
        return (bundle, page)
    }

    @Test(arguments: RegistryKind.allCases)
    func `a package is published after the shared bundle that it pins`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let (bundle, page) = try sharing(shop)
            let publisher = try shop.publisher(over: registry)
            let error = await #expect(throws: RegistryError.self) { try await publisher.publish([page.zip]) }
            #expect(error?.message.contains("common 1.0.0") == true)
            let published = try await publisher.publish([page.zip, bundle.zip])
            #expect(published.map(\.manifest.package.text) == ["common", "checkout"])
            let refused = await #expect(throws: RegistryError.self) {
                try await registry.change(.offer(version("1.0.0"), .everyone), of: package("common"), on: channel())
            }
            #expect(refused?.kind == .invalid)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a file that its bundle does not have cannot be published`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let bundle = try Site("common", "1.0.0", ["vendor.js": "shared"], entry: nil, in: shop.folder)
            let page = try Site(
                "checkout", "1.0.0", ["index.html": "page"], bundles: [bundle],
                shared: ["vendor.js": ("common", "something else")], in: shop.folder)
            let error = await #expect(throws: RegistryError.self) {
                try await shop.publisher(over: registry).publish([page.zip, bundle.zip])
            }
            #expect(error?.kind == .invalid)
            #expect(try await registry.overview().versions[package()] == nil)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `eight publishers at once all succeed, one after the other`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let sites = try (0..<8).map { try shop.page("1.0.\($0)", package: $0.isMultiple(of: 2) ? "a" : "b") }
            try await withThrowingTaskGroup { group in
                for site in sites {
                    let publisher = try shop.publisher(over: registry)
                    group.addTask { _ = try await publisher.publish([site.zip]) }
                }
                try await group.waitForAll()
            }
            let overview = try await registry.overview()
            #expect(
                try Set(overview.versions[package("a")]?.map(\.version.description) ?? []) == [
                    "1.0.0", "1.0.2", "1.0.4", "1.0.6",
                ])
            #expect(try overview.versions[package("b")]?.count == 4)
            let part = try await registry.overview(of: [package("a"), package("none")])
            #expect(try part.versions == overview.versions.filter { try $0.key == package("a") })
            #expect(part.channels == overview.channels)
            #expect(try await registry.overview(of: []).versions.isEmpty)
            let device = try shop.device()
            for site in sites {
                let path = ViewLayout.manifestTarget(site.manifest.package, site.manifest.version)
                #expect(try await device.target(path, maximumByteCount: 1 << 20) == site.manifest.bytes)
            }
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a withdrawn version is no longer signed, offered or taken again`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let publisher = try shop.publisher(over: registry)
            let bad = try shop.page("1.1.0")
            try await publisher.publish([shop.page("1.0.0").zip, bad.zip])
            for text in ["1.0.0", "1.1.0"] {
                _ = try await registry.change(.offer(version(text), .everyone), of: package(), on: channel())
            }
            #expect(try await shop.releases() == ["1.1.0@100"])
            try await publisher.withdraw(version("1.1.0"), of: package(), reason: "it sells nothing")
            #expect(try await shop.releases() == ["1.0.0@100"])
            let device = try shop.device()
            #expect(try await device.targetInfo("manifests/checkout/1.1.0.json") == nil)
            #expect(try await device.targetInfo("manifests/checkout/1.0.0.json") != nil)
            let listed = try await registry.overview().versions[package()]
            #expect(listed?.map(\.withdrawn) == ["it sells nothing", nil])
            let offered = await #expect(throws: RegistryError.self) {
                try await registry.change(.offer(version("1.1.0"), .everyone), of: package(), on: channel())
            }
            #expect(offered?.kind == .conflict)
            let again = await #expect(throws: RegistryError.self) { try await publisher.publish([bad.zip]) }
            #expect(again?.message.contains("it sells nothing") == true)
        }
    }

    @Test(arguments: RegistryKind.allCases)
    func `a shared bundle is withdrawn after the versions that need it`(kind: RegistryKind) async throws {
        let shop = try await kind.shop()
        try await kind.using(shop) { (registry) async throws in
            let (bundle, page) = try sharing(shop)
            let publisher = try shop.publisher(over: registry)
            try await publisher.publish([page.zip, bundle.zip])
            let early = await #expect(throws: RegistryError.self) {
                try await publisher.withdraw(version("1.0.0"), of: package("common"), reason: "damaged")
            }
            #expect(early?.kind == .conflict)
            #expect(early?.message.contains("checkout 1.0.0") == true)
            try await publisher.withdraw(version("1.0.0"), of: package(), reason: "damaged")
            try await publisher.withdraw(version("1.0.0"), of: package("common"), reason: "damaged")
        }
    }
}
