import Foundation
import PackFormat
import PackPatch
import PackTrust
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

struct ViewTests {
    @Test func `a new registry shows signed metadata and nothing else`() async throws {
        let shop = try await Shop()
        #expect(
            try shop.viewListing == [
                "metadata/1.root.json", "metadata/1.targets.json", "metadata/1.channels.json",
                "metadata/1.snapshot.json", "metadata/1.recent.zst", "metadata/timestamp.json",
            ])
        try await shop.device().refresh()
    }

    @Test func `publishing and releasing a version adds exactly its files`() async throws {
        let shop = try await Shop()
        let before = try shop.viewListing
        let site = try shop.page("1.0.0")
        let published = try await shop.publisher().publish([site.zip])
        #expect(published.map(\.outcome) == [.published])
        let outcome = try await shop.registry.change(
            .offer(version("1.0.0"), .everyone), of: package(), on: channel())
        #expect(outcome.isChanged)
        try await shop.local.maintain()
        let manifest = site.digest.hex
        let file = try #require(try shop.viewListing.first { $0.hasSuffix(".beta.json") })
        var expected: Set = [
            "targets/manifests/checkout/\(manifest).1.0.0.json", file, "packages/checkout-1.0.0.zip",
            "patches/\(manifest)/full.zst", "metadata/2.targets.json", "metadata/1.package.checkout.json",
            "metadata/2.snapshot.json", "metadata/3.snapshot.json", "metadata/4.snapshot.json",
            "metadata/2.channels.json", "metadata/2.recent.zst", "metadata/3.recent.zst", "metadata/4.recent.zst",
        ]
        for object in site.manifest.ownObjects { expected.insert(ViewPath.object(object.digest).description) }
        #expect(try shop.viewListing.subtracting(before) == expected)
        #expect(try await shop.releases() == ["1.0.0@100"])

        let device = try shop.device()
        let bytes = try await device.target("manifests/checkout/1.0.0.json", maximumByteCount: 1 << 20)
        #expect(bytes == site.manifest.bytes)
        #expect(try await device.roleListing("manifests/checkout/1.0.0.json") == "package.checkout")
        let zip = shop.local.viewFolder.appending(path: "packages/checkout-1.0.0.zip")
        #expect(try Data(contentsOf: zip) == Data(contentsOf: site.zip))
    }
}
