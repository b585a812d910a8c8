import Testing

@testable import PackFormat

@Suite("ViewPathTests") struct ViewPathTests {
    private static func paths() throws -> [(ViewPath, String)] {
        let (one, two) = (Digest(of: [1]), Digest(of: [2]))
        let (shop, beta) = try (PackageID("shop-1"), ChannelName("beta"))
        let versions = try ["1.0.0", "2.0.0-rc-1.0.0", "1.2.3-a.b+5"].map { try SemanticVersion($0) }
        return [
            (.timestamp, "metadata/timestamp.json"), (.metadata(.root, version: 12), "metadata/12.root.json"),
            (.metadata(.channels, version: 1), "metadata/1.channels.json"),
            (.metadata(.package(shop), version: 3), "metadata/3.package.shop-1.json"),
            (.channelFile(beta, format: 1, one), "targets/channels/\(one.hex).beta.json"),
            (.channelFile(beta, format: 2, one), "targets/channels/\(one.hex).beta.v2.json"),
            (.channelHead(beta, one), "targets/channels/\(one.hex).beta.v3.json"),
            (.channelPart(beta, 0, one), "targets/channels/\(one.hex).beta.part-0.json"),
            (.channelPart(beta, 255, two), "targets/channels/\(two.hex).beta.part-255.json"),
            (.object(one), "objects/\(one.hex.prefix(2))/\(one.hex)"),
            (.patch(from: nil, to: two), "patches/\(two.hex)/full.zst"),
            (.patch(from: one, to: two), "patches/\(two.hex)/\(one.hex).zst"),
            (.manifestPatch(from: one, to: two), "patches/\(two.hex)/\(one.hex).manifest.zst"),
        ]
            + versions.flatMap { version in
                [
                    (.manifest(shop, version, one), "targets/manifests/shop-1/\(one.hex).\(version).json"),
                    (.archive(shop, version), "packages/shop-1-\(version).zip"),
                ]
            }
    }

    @Test func `every path is printed as it is parsed`() throws {
        for (path, text) in try Self.paths() {
            #expect(path.description == text)
            #expect(ViewPath(text) == path, "\(text)")
        }
    }

    @Test func `a signed target and a role have their files`() throws {
        let digest = Digest(of: [1])
        let (shop, version) = try (PackageID("shop"), SemanticVersion("1.0.0"))
        #expect(
            ViewPath(target: ViewLayout.manifestTarget(shop, version), digest: digest)
                == .manifest(shop, version, digest))
        let beta = try ChannelName("beta")
        for format in 1...ChannelFile.currentFormat {
            #expect(
                ViewPath(target: ViewLayout.channelTarget(beta, format: format), digest: digest)
                    == .channelFile(beta, format: format, digest))
        }
        #expect(ViewPath(target: "other/x.json", digest: digest) == nil)
        #expect(ViewPath(target: "x.json", digest: digest) == nil)
        #expect(ViewPath(role: "timestamp", version: 7) == .timestamp)
        #expect(ViewPath(role: "package.shop", version: 7) == .metadata(.package(shop), version: 7))
        #expect(ViewPath(role: "somebody", version: 7) == nil)
    }

    @Test func `a path that no view has is none`() throws {
        let hex = Digest(of: [1]).hex
        for text in [
            "targets/channels/\(hex).beta.part-256.json", "targets/channels/\(hex).beta.part-01.json",
            "targets/channels/\(hex).beta.part-.json", "targets/channels/\(hex).beta.v4.json",
            "", "/", "metadata", "metadata/", "metadata/root.json", "metadata/0.root.json", "metadata/01.root.json",
            "metadata/-1.root.json", "metadata/1.timestamp.json", "metadata/1.other.json",
            "metadata/1.package.Shop.json",
            "metadata/1.root.json/", "metadata//1.root.json", "/metadata/1.root.json",
            "metadata/../metadata/1.root.json",
            "objects/\(hex)", "objects/00/\(hex)", "objects/\(hex.prefix(2))/\(hex.uppercased())",
            "targets/channels/beta.json", "targets/channels/\(hex).beta.v1.json",
            "targets/channels/\(hex).beta.v9.json",
            "targets/manifests/shop/\(hex).1.0.json", "patches/\(hex)/full.zst.gz", "patches/full/\(hex).zst",
            "packages/shop.zip", "packages/shop-1.0.zip", "packages/1.0.0.zip", "packages/.shop-1.0.0.zip",
            "encoded/\(hex.prefix(2))/\(hex).gz", "site/shop/1.0.0/index.html", "../registry.sqlite",
        ] {
            #expect(ViewPath(text) == nil, "\(text)")
        }
    }

    @Test func `only the timestamp and the full download change under their names`() throws {
        for (path, text) in try Self.paths() {
            let expected =
                switch text {
                case "metadata/timestamp.json": "no-cache"
                case let text where text.hasSuffix("full.zst"): "public, max-age=3600"
                default: "public, max-age=31536000, immutable"
                }
            #expect(path.cacheControl == expected, "\(text)")
            #expect((path.digest != nil) == (text.hasPrefix("objects/") || text.hasPrefix("targets/")), "\(text)")
            #expect(path.digest.map { text.contains($0.hex) } != false)
        }
    }

    @Test func `files have the media types that they always had`() throws {
        for (path, text) in try Self.paths() {
            let name = text.split(separator: "/").last ?? ""
            let expected =
                text.hasPrefix("objects/")
                ? MediaType("application/octet-stream")
                : MediaType(fileExtension: name.split(separator: ".").last.map(String.init) ?? "")
            #expect(path.mediaType == expected, "\(text)")
        }
    }
}
