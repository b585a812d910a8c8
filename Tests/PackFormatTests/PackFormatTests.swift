import Foundation
import Testing

@testable import PackFormat

struct NamesTests {
    @Test(arguments: ["", "-a", "a-", "A", "a.b", "a_b", "ä", String(repeating: "a", count: 64), "a/b", ".."])
    func `a text that is no DNS label is refused as an id`(text: String) {
        #expect(throws: FormatError.self) { try PackageID(text) }
        #expect(throws: FormatError.self) { try ChannelName(text) }
    }

    @Test(arguments: [
        "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", "v1.2.3", "1.2.3-ä", "-1.2.3",
    ])
    func `a text that is no SemVer is refused`(text: String) {
        #expect(throws: FormatError.self) { try SemanticVersion(text) }
    }

    @Test func `precedence is that of SemVer section 11`() throws {
        let ordered = [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
            "1.0.0-rc.1", "1.0.0", "2.0.0", "2.1.0", "2.1.1",
        ]
        let versions = try ordered.map { try SemanticVersion($0) }
        #expect(versions.shuffled().sorted() == versions)
    }

    @Test func `a range holds when all its comparisons hold`() throws {
        let versions = try ["3.1.9", "3.2.0-rc.1", "3.2.0", "3.2.1", "5.0.0"].map { try SemanticVersion($0) }
        let expected = [
            ">=3.2.0": [false, false, true, true, true], "<=3.2.0": [true, true, true, false, false],
            ">3.2.0": [false, false, false, true, true], "<3.2.0": [true, true, false, false, false],
            "=3.2.0": [false, false, true, false, false], "3.2.0": [false, false, true, false, false],
            ">=3.2.0 <5.0.0": [false, false, true, true, false],
        ]
        for (text, holds) in expected {
            let range = try VersionRange(text)
            #expect(versions.map(range.contains) == holds, "\(text)")
            #expect(try VersionRange(range.description) == range)
        }
        for text in ["", ">=", "=>1.0.0", ">= 1.0.0", "1.0", "^1.0.0"] {
            #expect(throws: FormatError.self) { try VersionRange(text) }
        }
    }
}

struct PackagePathTests {
    @Test(arguments: [
        "", "/a", "a//b", "a/", "./a", "a/../b", "..", "a\\b", "C:/a", "a\u{0}b", "a\nb", "e\u{301}", "\u{85}",
        String(repeating: "a", count: 256),
    ])
    func `a path that could leave the package or differ between file systems is refused`(text: String) {
        #expect(throws: FormatError.self) { try PackagePath(text) }
    }

    @Test(arguments: [("Straße.js", "STRASSE.JS"), ("a.JS", "A.js"), ("\u{FB01}x", "fix"), ("Σς", "σσ")])
    func `paths that one file system cannot tell apart share a collision key`(left: String, right: String) throws {
        #expect(try PackagePath(left).collisionKey == PackagePath(right).collisionKey)
    }

    @Test func `a slash with a combining mark does still separate`() throws {
        let path = try? PackagePath("a/\u{0338}b")
        #expect(path == nil || path?.components.count == 2)
    }
}

struct ManifestTests {
    static func manifest() throws -> Manifest {
        try Manifest(
            package: PackageID("checkout"), version: SemanticVersion("1.4.0"), entry: PackagePath("index.html"),
            files: [
                PackagePath("index.html"): .init(digest: Digest(of: Data("a".utf8)), size: 1),
                PackagePath("static/vendor.js"): .init(
                    digest: Digest(of: Data("bb".utf8)), size: 2, from: PackageID("web-common")),
            ],
            shared: [
                PackageID("web-common"): .init(version: SemanticVersion("2.1.0"), manifest: Digest(of: Data("m".utf8)))
            ],
            origins: ["https://m.example.com/checkout/"], requiredApp: VersionRange(">=3.2.0"), isSinglePage: true,
            headers: ["content-security-policy": "default-src 'self'"])
    }

    @Test func `a manifest survives its bytes`() throws {
        let manifest = try Self.manifest()
        let again = try Manifest(parsing: manifest.bytes)
        #expect(again == manifest)
        #expect(again.bytes == manifest.bytes)
    }

    @Test(arguments: [
        ("\"size\":1", "\"size\":-1"), ("\"size\":1", "\"size\":1.5"), ("\"format\":1", "\"format\":2"),
        ("\"index.html\":{", "\"../index.html\":{"), ("\"spa\":true", "\"spb\":true"),
        ("\"entry\":\"index.html\"", "\"entry\":\"other.html\""), ("\"web-common\":{", "\"web-other\":{"),
        ("https://m.", "http://m."), ("\"static/vendor.js\"", "\"INDEX.html\""),
        ("\"static/vendor.js\"", "\"index.html/x\""), ("\"static/vendor.js\"", "\"pack.json\""),
        // The manifest stands in this place, whatever the file system thinks of case.
        ("\"static/vendor.js\"", "\"pack.json/x\""), ("\"static/vendor.js\"", "\"PACK.JSON\""),
        // Nothing is pinned for this file; two header names that are one `String`; sums beyond every number.
        ("\"size\":1", "\"from\":\"nobody\",\"size\":1"),
        ("\"headers\":{", "\"headers\":{\"e\u{301}\":\"a\",\"\u{e9}\":\"b\","),
        ("\"size\":2", "\"size\":9223372036854775807"), ("\"size\":2", "\"size\":1125899906842624"),
    ])
    func `a manifest with a fault is refused`(right: String, wrong: String) throws {
        let text = String(decoding: try Self.manifest().bytes, as: UTF8.self)
        let faulty = text.replacingOccurrences(of: right, with: wrong)
        #expect(faulty != text)
        #expect(throws: FormatError.self) { try Manifest(parsing: Array(faulty.utf8)) }
    }
}

struct RolloutDecisionTests {
    let package = try! PackageID("checkout")

    func release(_ id: String, percent: Int, app: String? = nil) throws -> Release {
        try Release(
            id: id, offer: .version(SemanticVersion("1.0.0"), manifest: Digest(of: Data(id.utf8))),
            rollout: Rollout(percent: percent), requiredApp: app.map { try VersionRange($0) })
    }

    func decision(_ releases: [Release], device: String, app: String? = nil) throws -> RolloutDecision {
        RolloutDecision(
            app: "shop", package: package, releases: releases,
            device: DeviceFacts(deviceID: device, appVersion: try app.map { try AppVersion($0) }))
    }

    @Test func `a share of ten percent admits about a tenth, and whoever is in stays in`() throws {
        var admitted = 0
        for device in 0..<2_000 {
            let small = try decision([release("r1", percent: 10)], device: "d\(device)").release
            let large = try decision([release("r1", percent: 50)], device: "d\(device)").release
            if small != nil {
                admitted += 1
                #expect(large != nil)
            }
        }
        #expect((140...260).contains(admitted))
    }

    /// Computed with `printf %s shop/checkout/r1/device-1 | sha256sum | head -c 16`: a change of the rule moves every
    /// device in the field to another share.
    @Test(arguments: [
        ("r1", "device-1", 0xee43c5f58e02e6ba as UInt64), ("r2", "device-1", 0x1b3f063f9b2932a9),
        ("r1", "device-2", 0x56d0f32086f543a9),
    ])
    func `a device's bucket is what it has always been`(release: String, device: String, bucket: UInt64) {
        #expect(RolloutDecision.bucket(app: "shop", package: package, release: release, device: device) == bucket)
    }

    @Test func `a bucket at the border of its percent is out, and the one below it in`() throws {
        // 2^64 / 2, and 10 % of 2^64 rounded up.
        #expect(try !Share(percent: 50).contains(bucket: 1 << 63))
        #expect(try Share(percent: 50).contains(bucket: (1 << 63) - 1))
        #expect(try !Share(percent: 10).contains(bucket: 1_844_674_407_370_955_162))
        #expect(try Share(percent: 10).contains(bucket: 1_844_674_407_370_955_161))
        #expect(try Share(percent: 100).contains(bucket: .max) && !Share(percent: 0).contains(bucket: 0))
    }

    @Test func `a channel file with more packages or releases than a device looks at is refused`() throws {
        func file(packages: Int, releases: Int) throws -> [UInt8] {
            let list = try (0..<releases).map { try release("r\($0)", percent: 1) }
            let ids = try (0..<packages).map { (try PackageID("p\($0)"), ChannelFile.Package(releases: list)) }
            return try ChannelFile(
                app: "shop", channel: ChannelName("beta"), packages: Dictionary(ids, uniquingKeysWith: { $1 })
            ).bytes
        }
        #expect(try ChannelFile(parsing: file(packages: 1, releases: 1_000)).packages.count == 1)
        #expect(try ChannelFile(parsing: file(packages: 2_000, releases: 1)).packages.count == 2_000)
        #expect(throws: FormatError.self) { try ChannelFile(parsing: file(packages: 1, releases: 1_001)) }
        #expect(throws: FormatError.self) { try ChannelFile(parsing: file(packages: 2_001, releases: 1)) }
    }

    @Test func `nobody is in at zero and everybody at a hundred`() throws {
        for device in 0..<100 {
            #expect(try decision([release("r", percent: 0)], device: "d\(device)").release == nil)
            #expect(try decision([release("r", percent: 100)], device: "d\(device)").release != nil)
        }
    }

    @Test func `a release that the app is too old for is passed over with the reason`() throws {
        let decision = try decision(
            [release("new", percent: 100, app: ">=2.0.0"), release("old", percent: 100)], device: "d", app: "1.9.9")
        #expect(decision.release?.id == "old")
        #expect(decision.steps.count == 2)
        #expect(decision.steps[0].reason.description == "it requires app >=2.0.0 and this is 1.9.9")
    }

    @Test func `a channel file survives its bytes`() throws {
        let file = ChannelFile(
            app: "shop", channel: try ChannelName("beta"),
            packages: [
                package: .init(
                    releases: [
                        try release("b", percent: 25, app: ">=1.0.0"), try Release(id: "a", offer: .embedded, retry: 2),
                    ],
                    isEnabled: false)
            ])
        #expect(try ChannelFile(parsing: file.bytes) == file)
    }
}
