import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

/// More patches asked for than are made.
struct PatchDemandTests {
    /// Versions, of which the last is offered. No patch leads from the first to it yet.
    private func seven(in shop: Shop) async throws -> [Site] {
        var sites: [Site] = []
        for number in 0...6 {
            let site = try shop.page("1.\(number).0")
            _ = try await shop.publisher().publish([site.zip])
            _ = try await shop.registry.change(.offer(site.manifest.version, .everyone), of: package(), on: channel())
            sites.append(site)
        }
        try await shop.local.maintain()
        return sites
    }

    @Test func `where one file of a step was waited for in vain, the others are not waited for`() async throws {
        let shop = try await Shop()
        let sites = try await seven(in: shop)
        let (from, to) = (sites[0].digest, sites[6].digest)
        let paths = [ViewPath.manifestPatch(from: from, to: to), .patch(from: from, to: to)]
        let patch = DerivedFile(.patch, of: to, from: from)
        // Each is being made, for longer than anybody waits.
        for path in paths {
            let file = try #require(DerivedFile(patch: path))
            #expect(shop.local.claims.claim(file))
        }
        shop.local.claims.noteVain(patch)
        let begun = ContinuousClock.now
        for path in paths {
            let isThere = try await shop.local.makePatch(at: path)
            #expect(!isThere)
        }
        #expect(ContinuousClock.now - begun < .seconds(14), "one of them was waited for")
    }

    @Test func `where the line is full a device is told when to come back, and then gets its patch`() async throws {
        let shop = try await Shop()
        let sites = try await seven(in: shop)
        let wanted = "/" + ViewPath.manifestPatch(from: sites[0].digest, to: sites[6].digest).description
        let made = "/" + ViewPath.manifestPatch(from: sites[5].digest, to: sites[6].digest).description
        let never = "/" + ViewPath.manifestPatch(from: Digest(of: [1]), to: sites[6].digest).description
        let others = (0..<ArtifactClaims.maximumDemandedCount).map {
            DerivedFile(.patch, of: sites[6].digest, from: Digest(of: [UInt8($0)]))
        }
        for other in others { #expect(shop.local.claims.claimOnDemand(other) == .claimed) }
        try await RunningServer.with(shop.local) { (server) async throws in
            let busy = try await server.ask("GET", wanted)
            #expect(busy.status == 503)
            #expect(busy["retry-after"].flatMap { Int($0) } != nil)
            #expect(busy["cache-control"] == "no-store")
            #expect(busy.text.contains("urn:packtool:problem:busy"))
            // What is there, and what is never made, is answered as ever.
            #expect(try await server.ask("GET", made).status == 200)
            #expect(try await server.ask("GET", never).status == 404)
            for other in others { shop.local.claims.releaseOnDemand(other) }
            #expect(try await server.ask("GET", wanted).status == 200)
        }
    }
}
