import Foundation
import PackFormat
import Testing

@testable import PackPublisher
@testable import PackRegistryAPI
@testable import PackRegistryLocal

@testable import PackRegistry

/// Online copies compressed on their way: who gets which form, and what a cache can tell apart.
struct SiteCodingTests {
    private static let script = Array(String(repeating: "function render() { return value }\n", count: 500).utf8)
    private static let browser = "gzip, deflate, br, zstd"

    /// A served version with a script that compresses, a picture and something short.
    private static func shop() async throws -> (Shop, Site) {
        let shop = try await Shop()
        let site = try Site(
            "checkout", "1.0.0",
            [
                "index.html": "<h1>short</h1>", "app.js": String(decoding: script, as: UTF8.self),
                "logo.png": String(repeating: "compressible, and not by its type", count: 100),
            ], in: shop.folder)
        _ = try await shop.publisher().publish([site.zip])
        _ = try await shop.registry.change(.offer(version("1.0.0"), .everyone), of: package(), on: channel())
        try await shop.local.maintain()
        #expect(try await shop.local.makeEncodings())
        return (shop, site)
    }

    @Test func `each client gets the form that it takes, each form with a tag of its own`() async throws {
        let (shop, site) = try await Self.shop()
        try await RunningServer.with(shop.local) { (server) async throws in
            let path = "/site/checkout/1.0.0/app.js"
            var tags: Set<String> = []
            for (accepted, coding) in [
                (Self.browser, "zstd"), ("gzip, deflate, br", "gzip"), ("identity", nil), ("gzip;q=0, zstd;q=0", nil),
                (nil, nil),
            ] as [(String?, String?)] {
                let fields = accepted.map { ["Accept-Encoding": $0] } ?? [:]
                let answer = try await server.ask("GET", path, fields)
                #expect((answer.status, answer["content-encoding"]) == (200, coding))
                #expect(answer["vary"] == "accept-encoding")
                #expect(answer["content-type"] == "text/javascript; charset=utf-8")
                if coding == nil { #expect(answer.body == Self.script) } else { #expect(answer.body.count < 500) }
                let tag = try #require(answer["etag"])
                #expect(!tag.hasPrefix("W/"))
                tags.insert(tag)
                let head = try await server.ask("HEAD", path, fields)
                #expect((head["etag"], head["content-encoding"]) == (tag, coding))
                #expect(head["content-length"] == String(answer.body.count))
                // Each tag is known for its own form only.
                for other in tags {
                    let again = try await server.ask("GET", path, fields.merging(["If-None-Match": other]) { $1 })
                    #expect(again.status == (other == tag ? 304 : 200))
                    #expect(again["vary"] == "accept-encoding" && again["etag"] == tag)
                }
            }
            #expect(tags.count == 3)
        }
        _ = site
    }

    @Test func `a range is one of the form that is sent, and continues only that form`() async throws {
        let (shop, _) = try await Self.shop()
        try await RunningServer.with(shop.local) { (server) async throws in
            let path = "/site/checkout/1.0.0/app.js"
            let whole = try await server.ask("GET", path, ["Accept-Encoding": Self.browser])
            let tag = try #require(whole["etag"])
            let rest = try await server.ask(
                "GET", path, ["Accept-Encoding": Self.browser, "Range": "bytes=10-", "If-Range": tag])
            #expect((rest.status, rest.body) == (206, Array(whole.body.dropFirst(10))))
            #expect(rest["content-encoding"] == "zstd")
            #expect(rest["content-range"] == "bytes 10-\(whole.body.count - 1)/\(whole.body.count)")
            // The client asks for another form now: the rest of the first would be garbage.
            let other = try await server.ask("GET", path, ["Range": "bytes=10-", "If-Range": tag])
            #expect((other.status, other.body) == (200, Self.script))
        }
    }

    @Test func `only what pays has compressed forms`() async throws {
        let (shop, site) = try await Self.shop()
        let script = try #require(site.manifest.files[PackagePath("app.js")])
        let forms = try shop.viewListing.filter { $0.hasPrefix("encoded/") }
        #expect(forms == Set(ContentCoding.allCases.map { $0.path(of: script.digest) }))
        // A tenth smaller, or it is not worth the second form.
        let noise = (0..<4000).map { _ in UInt8.random(in: 0...255) }
        for coding in ContentCoding.allCases { #expect(try noise.withUnsafeBytes { try coding.compress($0) } == nil) }
        try await RunningServer.with(shop.local) { (server) async throws in
            for path in ["", "logo.png"] {
                let answer = try await server.ask(
                    "GET", "/site/checkout/1.0.0/\(path)", ["Accept-Encoding": Self.browser])
                #expect((answer.status, answer["content-encoding"]) == (200, nil), "\(path)")
                #expect(answer["vary"] == nil, "\(path)")
            }
        }
    }

    @Test func `what a signed digest is of travels as it is`() async throws {
        let (shop, site) = try await Self.shop()
        let paths = try shop.viewListing.filter { !$0.hasPrefix("encoded/") }
        try await RunningServer.with(shop.local) { (server) async throws in
            for path in paths {
                let answer = try await server.ask("GET", "/\(path)", ["Accept-Encoding": Self.browser])
                #expect((answer.status, answer["content-encoding"]) == (200, nil), "\(path)")
                #expect(try answer.body == [UInt8](Data(contentsOf: shop.local.viewFolder.appending(path: path))))
            }
            let script = try #require(site.manifest.files[PackagePath("app.js")])
            let form = ContentCoding.gzip.path(of: script.digest)
            #expect(try await server.ask("GET", "/\(form)").status == 404)
        }
    }

    @Test func `a form that was lost is made again, and until then the file goes as it is`() async throws {
        let (shop, site) = try await Self.shop()
        let before = try shop.viewListing
        let script = try #require(site.manifest.files[PackagePath("app.js")])
        try FileManager.default.removeItem(
            at: shop.local.viewFolder.appending(path: ContentCoding.zstd.path(of: script.digest)))
        try await RunningServer.with(shop.local) { (server) async throws in
            let answer = try await server.ask(
                "GET", "/site/checkout/1.0.0/app.js", ["Accept-Encoding": Self.browser])
            #expect((answer.status, answer["content-encoding"]) == (200, "gzip"))
        }
        try await shop.local.check()
        #expect(try await shop.local.makeEncodings())
        #expect(try shop.viewListing == before)
    }

    @Test func `what devices wait for goes first`() async throws {
        let (shop, _) = try await Self.shop()
        let next = try Site(
            "checkout", "1.1.0", ["index.html": String(repeating: "<p>new</p>", count: 200)], in: shop.folder)
        _ = try await shop.publisher().publish([next.zip])
        _ = try await shop.registry.change(.offer(version("1.1.0"), .everyone), of: package(), on: channel())
        #expect(try await !shop.local.makeEncodings())
        try await shop.local.maintain()
        #expect(try await shop.local.makeEncodings())
    }
}
