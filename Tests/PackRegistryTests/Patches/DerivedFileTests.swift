import Foundation
import PackFormat
import PackPatch
import TestSupport
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal
@testable import PackRegistrySQL

/// Files that are made from versions: when they are there, and for whom.
struct DerivedFileTests {
    /// Some 200 kB that compress, different in each version in one place.
    private func large(_ text: String, in shop: Shop) throws -> Site {
        var random = Lines(seed: 7)
        let lines = (0..<4000).map { _ in random.next() }
        return try Site(
            "checkout", text,
            ["index.html": "<h1>\(text)</h1>", "app.js": lines.joined(separator: "\n") + "// \(text)\n"],
            in: shop.folder)
    }

    @Test func `publishing leaves a full download at once, and the maintenance a smaller one in its place`()
        async throws
    {
        let shop = try await Shop()
        let site = try large("1.0.0", in: shop)
        _ = try await shop.publisher().publish([site.zip])
        let file = shop.local.viewFolder.appending(path: ViewPath.patch(from: nil, to: site.digest).description)
        let quick = try Data(contentsOf: file)
        #expect(try !shop.viewListing.contains("packages/checkout-1.0.0.zip"))
        try await shop.local.maintain()
        let small = try Data(contentsOf: file)
        #expect(small.count < quick.count)
        #expect(try shop.viewListing.contains("packages/checkout-1.0.0.zip"))
        for bytes in [quick, small] {
            let patch = shop.folder.url.appending(path: "patch")
            try bytes.write(to: patch)
            var sink = CollectingSink()
            try PatchDecoder(PatchPlan(from: nil, to: site.manifest)).apply(patch, to: &sink) { _ in patch }
            #expect(Set(sink.finished) == Set(site.manifest.ownObjects))
        }
    }

    @Test func `full downloads made several at a time are as one made alone, and a fault of one keeps no other`()
        async throws
    {
        let shop = try await Shop()
        let sites = try ["one", "two", "three", "four", "five"].map { name in
            let lines = (0..<400).map { "\(name) \($0 * 7919 % 1_000)\n" }.joined()
            return try Site(name, "1.0.0", ["index.html": "<h1>\(name)</h1>", "app.js": lines], in: shop.folder)
        }
        _ = try await shop.publisher().publish(sites.map(\.zip))
        func place(_ path: ViewPath, in shop: Shop) -> URL { shop.local.viewFolder.appending(path: path.description) }
        func isMade() throws -> [Bool] {
            try sites.map { site in
                try shop.local.database.read { try DerivedTable(db: $0).size(of: DerivedFile(.full, of: site.digest)) }
                    != nil
            }
        }
        let object = place(.object(try #require(sites[2].manifest.ownObjects.first).digest), in: shop)
        let aside = shop.folder.url.appending(path: "aside")
        try FileManager.default.moveItem(at: object, to: aside)
        let error = await #expect(throws: RegistryError.self) { try await shop.local.maintain() }
        #expect(error?.message.contains("could not be made yet") == true, "\(String(describing: error))")
        #expect(try isMade() == [true, true, false, true, true])
        try FileManager.default.moveItem(at: aside, to: object)
        try await shop.local.maintain()
        #expect(try isMade() == Array(repeating: true, count: 5))

        let alone = try await Shop()
        _ = try await alone.publisher().publish([sites[1].zip])
        try await alone.local.maintain()
        let path = ViewPath.patch(from: nil, to: sites[1].digest)
        #expect(try Data(contentsOf: place(path, in: shop)) == Data(contentsOf: place(path, in: alone)))
    }

    /// A server that is to end, or has something to sign, does not wait for all of them.
    @Test func `what is to be made can be left for the next time`() async throws {
        let shop = try await Shop()
        _ = try await shop.publisher().publish([large("1.0.0", in: shop).zip])
        try await shop.local.maintain(for: .zero)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await shop.local.maintain()
        }
        try await cancelled.value
        #expect(try !shop.viewListing.contains("packages/checkout-1.0.0.zip"))
        try await shop.local.maintain()
        #expect(try shop.viewListing.contains("packages/checkout-1.0.0.zip"))
    }

    @Test func `a manifest's patch is as much work as the manifests, however large the files`() async throws {
        let shop = try await Shop()
        let sites = try ["1.0.0", "1.1.0"].map { try large($0, in: shop) }
        for site in sites { _ = try await shop.publisher().publish([site.zip]) }
        let (old, new) = (sites[0], sites[1])
        let artifacts = shop.local.artifacts
        #expect(try artifacts.effort(for: DerivedFile(.patch, of: new.digest, from: old.digest)) > 300_000)
        #expect(
            try artifacts.effort(for: DerivedFile(.manifest, of: new.digest, from: old.digest))
                == old.manifest.bytes.count + new.manifest.bytes.count)
    }

    @Test func `a quick download never takes the place of the small one`() async throws {
        let shop = try await Shop()
        let site = try large("1.0.0", in: shop)
        _ = try await shop.publisher().publish([site.zip])
        try await shop.local.maintain()
        let file = shop.local.viewFolder.appending(path: ViewPath.patch(from: nil, to: site.digest).description)
        let small = try Data(contentsOf: file)
        try shop.local.artifacts.makeQuickDownload(of: site.digest)
        #expect(try Data(contentsOf: file) == small)
    }

    @Test func `a patch that nobody made is made for the device that asks, once for all who ask`() async throws {
        let shop = try await Shop()
        let sites = try ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0", "1.6.0"].map { try large($0, in: shop) }
        for site in sites {
            _ = try await shop.publisher().publish([site.zip])
            _ = try await shop.registry.change(.offer(site.manifest.version, .everyone), of: package(), on: channel())
        }
        try await shop.local.maintain()
        let (first, newest) = (sites[0].digest, sites[6].digest)
        let paths = [
            ViewPath.patch(from: first, to: newest), .manifestPatch(from: first, to: newest),
            .updateFile(from: first, to: newest),
        ]
        #expect(try shop.viewListing.isDisjoint(with: paths.map(\.description)))
        for path in paths {
            let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await shop.local.makePatch(at: path) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: true, count: 20))
            let file = shop.local.viewFolder.appending(path: path.description)
            let made = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
            #expect(try await shop.local.makePatch(at: path))
            let still = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
            #expect(made == still)
        }
        var sink = CollectingSink()
        let patch = shop.local.viewFolder.appending(path: paths[0].description)
        try PatchDecoder(PatchPlan(from: sites[0].manifest, to: sites[6].manifest)).apply(patch, to: &sink) { digest in
            shop.local.viewFolder.appending(path: ViewPath.object(digest).description)
        }
        #expect(sink.finished.count == 2)
    }

    @Test func `who asks for an update file waits for its patch that is being made`() async throws {
        let shop = try await Shop()
        let sites = try (0...6).map { try large("1.\($0).0", in: shop) }
        for site in sites {
            _ = try await shop.publisher().publish([site.zip])
            _ = try await shop.registry.change(.offer(site.manifest.version, .everyone), of: package(), on: channel())
        }
        try await shop.local.maintain()
        let (first, newest, claims) = (sites[0].digest, sites[6].digest, shop.local.claims)
        let patch = DerivedFile(.patch, of: newest, from: first)
        #expect(claims.claim(patch))
        let answer = Task { try await shop.local.makePatch(at: .updateFile(from: first, to: newest)) }
        while claims.counts.waiting == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(300))
        #expect(!claims.isClaimed(DerivedFile(.update, of: newest, from: first)))
        #expect(try !shop.viewListing.contains(ViewPath.patch(from: first, to: newest).description))
        claims.release(patch)
        #expect(try await answer.value)
        #expect(!claims.isClaimed(patch))
        #expect(try shop.viewListing.contains(ViewPath.patch(from: first, to: newest).description))
    }

    @Test func `no patch is made to what no channel offers, between packages, or from a made-up version`() async throws
    {
        let shop = try await Shop()
        let sites = try ["1.0.0", "1.1.0", "1.2.0"].map { try large($0, in: shop) }
        let other = try shop.page("1.0.0", package: "cart")
        for site in sites + [other] { _ = try await shop.publisher().publish([site.zip]) }
        _ = try await shop.registry.change(.offer(version("1.2.0"), .everyone), of: package(), on: channel())
        try await shop.local.maintain()
        let before = try shop.viewListing
        for (base, target) in [
            (sites[0].digest, sites[1].digest), (other.digest, sites[2].digest),
            (Digest(of: Array("nothing".utf8)), sites[2].digest), (sites[2].digest, sites[2].digest),
        ] {
            #expect(try await !shop.local.makePatch(at: .patch(from: base, to: target)))
        }
        #expect(ViewPath("patches/../registry.sqlite") == nil)
        #expect(try shop.viewListing == before)
        #expect(try await shop.local.makePatch(at: .patch(from: sites[0].digest, to: sites[2].digest)))
    }

    @Test func `a patch that is not smaller than the full download is not kept`() async throws {
        let shop = try await Shop()
        // Nothing in common: the patch is the full download over again.
        let first = try Site("checkout", "1.0.0", ["index.html": "<h1>short</h1>"], in: shop.folder)
        let second = try large("1.1.0", in: shop)
        for site in [first, second] {
            _ = try await shop.publisher().publish([site.zip])
            _ = try await shop.registry.change(.offer(site.manifest.version, .everyone), of: package(), on: channel())
        }
        try await shop.local.maintain()
        let full = shop.local.viewFolder.appending(path: ViewPath.patch(from: nil, to: second.digest).description)
        let size = try Data(contentsOf: full).count
        let patch = shop.local.viewFolder.appending(
            path: ViewPath.patch(from: first.digest, to: second.digest).description)
        if let bytes = try? Data(contentsOf: patch) { #expect(bytes.count < size) }
    }

    @Test func `made again, a patch has the same bytes`() async throws {
        let shop = try await Shop()
        let sites = try ["1.0.0", "1.1.0"].map { try large($0, in: shop) }
        for site in sites {
            _ = try await shop.publisher().publish([site.zip])
            _ = try await shop.registry.change(.offer(site.manifest.version, .everyone), of: package(), on: channel())
        }
        try await shop.local.maintain()
        let path = ViewPath.patch(from: sites[0].digest, to: sites[1].digest).description
        let file = shop.local.viewFolder.appending(path: path)
        let made = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        try shop.local.artifacts.makeOnDemand(DerivedFile(.patch, of: sites[1].digest, from: sites[0].digest))
        #expect(try Data(contentsOf: file) == made)
    }

    @Test func `while a server has the registry it is known to others`() async throws {
        let shop = try await Shop()
        #expect(await !shop.local.isServed())
        let lease = try #require(try await shop.local.claimForServer())
        #expect(await shop.local.isServed())
        await #expect(throws: RegistryError.self) { try await shop.local.claimForServer() }
        let maintenance = Task { await shop.local.runMaintenance(under: lease) { _ in } }
        maintenance.cancel()
        await maintenance.value
        #expect(await !shop.local.isServed())
        await #expect(throws: Never.self) { try await shop.local.claimForServer() }
    }
}

/// Keeps the names of the objects that came out whole.
private struct CollectingSink: ObjectSink {
    var finished: [Object] = []

    mutating func begin(_ object: Object) throws {}
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {}
    mutating func finish(_ object: Object) throws { finished.append(object) }
}

/// Lines of made-up code, the same for the same seed.
struct Lines {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> String {
        let words = ["const", "render", "value", "items", "return", "update", "length", "index", "await", "function"]
        return (0..<8).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return words[Int(state >> 33) % words.count] + String(state >> 50)
        }.joined(separator: " ")
    }
}
