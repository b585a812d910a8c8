import Foundation
import PackFormat
import PackHost
import TestSupport
import Testing

/// Which versions' service workers a view may have.
struct SeenVersionsTests {
    private let folder: TemporaryFolder
    private let shop: PackageID
    private let cart: PackageID
    private let one = Digest(of: Data("one".utf8))
    private let two = Digest(of: Data("two".utf8))

    init() throws {
        folder = try TemporaryFolder("seen-versions")
        shop = try PackageID("shop")
        cart = try PackageID("cart")
    }

    @Test func `a version that was not noted last is another one, newer or older`() throws {
        var seen = SeenVersions(file: folder.url.appending(path: "view/versions.json"))
        #expect(seen.isOther(one, of: shop))
        seen.note(one, of: shop)
        #expect(!seen.isOther(one, of: shop))
        #expect(seen.isOther(two, of: shop) && seen.isOther(one, of: cart))
        seen.note(two, of: shop)
        #expect(seen.isOther(one, of: shop))
        #expect(try folder.listing("view") == ["versions.json"])
    }

    @Test func `views that share their data share what was noted, also over a restart`() {
        let file = folder.url.appending(path: "versions.json")
        var first = SeenVersions(file: file)
        first.note(one, of: shop)
        var second = SeenVersions(file: file)
        #expect(!second.isOther(one, of: shop))
        second.note(two, of: shop)
        second.note(one, of: cart)
        // The first has workers of version 2 now.
        #expect(first.isOther(one, of: shop))
        #expect(!first.isOther(two, of: shop) && !first.isOther(one, of: cart))
    }

    @Test func `data in memory, and a file that cannot be written, hold for this run`() throws {
        let blocked = folder.url.appending(path: "blocked")
        try Data("no folder".utf8).write(to: blocked)
        for file in [nil, blocked.appending(path: "versions.json")] {
            var seen = SeenVersions(file: file)
            #expect(seen.isOther(one, of: shop))
            seen.note(one, of: shop)
            #expect(!seen.isOther(one, of: shop))
            let next = SeenVersions(file: file)
            #expect(next.isOther(one, of: shop))
        }
    }

    @Test(arguments: ["", "[]", "{\"shop\": 1}", "{\"shop\": \"none\"}", "{\"../shop\": \"\"}"])
    func `a damaged file notes nothing, and is replaced`(text: String) throws {
        let file = folder.url.appending(path: "versions.json")
        try Data(text.utf8).write(to: file)
        var seen = SeenVersions(file: file)
        #expect(seen.isOther(one, of: shop))
        seen.note(one, of: shop)
        let next = SeenVersions(file: file)
        #expect(!next.isOther(one, of: shop))
    }
}
