import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// Who gets a release: shares, audiences, and what a newer registry says that this program does not know.
@Suite("RolloutTests") struct RolloutTests {
    private let package = try! PackageID("checkout")

    private func release(
        _ id: String = "r1", _ rollout: Rollout = .everyone, version: String = "1.0.0"
    ) throws -> Release {
        try Release(
            id: id, offer: .version(SemanticVersion(version), manifest: Digest(of: Data(id.utf8))), rollout: rollout)
    }

    private func reason(_ audiences: [String], _ device: DeviceFacts) throws -> String {
        let rollout = Rollout(audiences: try audiences.map { try Audience($0) })
        let decision = RolloutDecision(
            app: "shop", package: package, releases: [try release("r1", rollout)], device: device)
        return decision.release == nil ? try #require(decision.steps.first).reason.description : "admitted"
    }

    @Test(arguments: [
        ("0", 0, "0"), ("100", 10_000, "100"), ("12.5", 1_250, "12.5"), ("0.01", 1, "0.01"), ("0.10", 10, "0.1"),
        ("99.99", 9_999, "99.99"), ("007", 700, "7"),
    ])
    func `a share has two decimals`(text: String, parts: Int, printed: String) throws {
        let share = try Share(text)
        #expect(share.tenThousandths == parts && share.percentText == printed)
    }

    @Test(arguments: ["", "101", "100.01", "-1", "1.234", ".5", "5.", "1,5", "1e2", " 1", "٣", "999999999999999999999"])
    func `what is no share is refused`(text: String) {
        #expect(throws: FormatError.self) { try Share(text) }
    }

    @Test func `a share of a quarter of a percent admits that many, and whoever is in stays in`() throws {
        var counts = [0, 0, 0]
        let shares = try ["0.25", "2.5", "25"].map { try Share($0) }
        for device in 0..<40_000 {
            let bucket = RolloutDecision.bucket(app: "shop", package: package, release: "r1", device: "d\(device)")
            let isIn = shares.map { $0.contains(bucket: bucket) }
            #expect(isIn == isIn.sorted { !$0 && $1 })
            for index in 0..<3 where isIn[index] { counts[index] += 1 }
        }
        // Four standard deviations.
        #expect(abs(counts[0] - 100) < 40 && abs(counts[1] - 1_000) < 125 && abs(counts[2] - 10_000) < 350, "\(counts)")
    }

    @Test func `versions of apps and systems are in the order that stores have`() throws {
        let ordered = [
            "0.9", "1.0-beta.2", "1.0-rc.1", "1.0", "1.0 (17)", "1.0.0+18", "1.0.1", "1.2", "1.10", "17.4", "17.4.1",
            "2024.3.1", "v2024.3.1 (2)", "2024.4",
        ]
        let versions = try ordered.map { try AppVersion($0) }
        #expect(versions.shuffled().sorted().map(\.description) == ordered)
        #expect(try AppVersion("1.0.0") == AppVersion("1") && AppVersion("1.0").hashValue == AppVersion("1").hashValue)
        for text in [
            "", "x", "1..2", "1.x", "1.2-", "1 2", "1.2 (a)", "1.2.3.4.5.6.7.8.9", String(repeating: "1", count: 70),
        ] {
            #expect(throws: FormatError.self, "\(text)") { try AppVersion(text) }
        }
    }

    @Test func `each condition admits who it names, and says what it saw of the others`() throws {
        let device = DeviceFacts(
            deviceID: "d1", appVersion: try AppVersion("3.4.0"), platform: "iOS", tags: ["tier": "gold"],
            osVersion: try AppVersion("17.4.1"), locale: "de_AT", region: "AT", model: "iPhone14,2", network: .metered)
        let bare = DeviceFacts(deviceID: "d2")
        for (text, refusal, unknown) in [
            ("platform=ios,android", nil as String?, "its platform is not known"),
            ("platform=android", "its platform is iOS, not android", "its platform is not known"),
            ("app>=3.2 <3.5", nil, "the app's version is not known"),
            ("app>=3.5", "the app's version is 3.4.0, not >=3.5", "the app's version is not known"),
            ("os>=17", nil, "the system's version is not known"),
            ("os<17.4", "the system's version is 17.4.1, not <17.4", "the system's version is not known"),
            ("locale=fr,de", nil, "its locale is not known"),
            ("locale=de-AT", nil, "its locale is not known"),
            ("locale=de-DE", "its locale is de-AT, not de-DE", "its locale is not known"),
            ("region=at", nil, "its region is not known"),
            ("region=DE,CH", "its region is AT, not DE or CH", "its region is not known"),
            ("model=iPhone14*,iPhone15*", nil, "its device model is not known"),
            ("model=Pixel", "its device model is iPhone14,2, not Pixel", "its device model is not known"),
            ("network=metered", nil, "its network is not known"),
            ("network=unmetered", "its network is metered, not unmetered", "its network is not known"),
            ("tag.tier=gold,silver", nil, "the tag tier is not set, not gold or silver"),
            ("tag.tier=silver", "the tag tier is gold, not silver", "the tag tier is not set, not silver"),
            ("device=d1", nil, "the device is not among those that are named"),
            ("device!=d1", "the device is named as left out", nil),
            ("platform=ios; tag.tier=gold; app>=3.4", nil, "its platform is not known"),
            ("platform=ios; tag.tier=silver", "the tag tier is gold, not silver", "its platform is not known"),
        ] {
            #expect(try reason([text], device) == refusal ?? "admitted", "\(text)")
            #expect(try reason([text], bare) == unknown ?? "admitted", "\(text)")
        }
        #expect(
            try reason(["platform=android", "region=DE"], device)
                == "its platform is iOS, not android, and its region is AT, not DE")
        #expect(try reason(["platform=android", "region=AT"], device) == "admitted")
    }

    @Test(arguments: [
        "", ";", "platform", "platform=", "platform=,", "platform>ios", "color=red", "app=", "app>=x", "os", "tag.=x",
        "network=wifi", "region!=DE", "=x",
    ])
    func `what is no audience is refused with its words`(text: String) {
        let error = #expect(throws: FormatError.self) { try Audience(text) }
        #expect(error?.description.contains("is not an audience") == true)
    }

    @Test func `an audience is the same after a text and after JSON`() throws {
        let text =
            "platform=ios,android; app>=3.2.0 <5; os>=17; locale=de; region=AT; model=iPhone14*; network=unmetered; tag.tier=gold"
        let audience = try Audience(text)
        #expect(audience.description == text)
        #expect(try Audience(audience.description) == audience)
        #expect(try [Audience](json: .array([audience.json])) == [audience])
        let devices = try Audience("device=a,b; device!=c")
        #expect(devices.description == "2 devices named; 1 devices left out")
        #expect(!String(decoding: devices.json.canonicalBytes, as: UTF8.self).contains("\"a\""))
        #expect(try [Audience](json: .array([devices.json])) == [devices])
    }

    /// What somebody may write into a release that is signed later, or damage.
    private static let unknown: [String] = [
        #"{"audiences":[[{"kind":"moon"}]]}"#, #"{"audiences":[[{"kind":"platform","in":["ios"],"since":3}]]}"#,
        #"{"audiences":[[{"kind":"platform","in":[]}]]}"#, #"{"audiences":[[{"kind":"platform"}]]}"#,
        #"{"audiences":[[{"kind":"tag","in":["x"]}]]}"#, #"{"audiences":[[{"kind":"network","in":["5g"]}]]}"#,
        #"{"audiences":[[{"kind":"device","in":["x"],"notIn":["y"]}]]}"#, #"{"audiences":[[{}]]}"#,
        #"{"audiences":[[{"kind":7}]]}"#, #"{"audiences":[[{"kind":"app","range":"later"}]]}"#,
        #"{"policy":{"moon":1}}"#, #"{"percent":100,"share":10000}"#, #"{"setting":"s1"}"#, #"{"mandatory":true}"#,
    ]

    @Test(arguments: unknown)
    func `what this program does not know gives a release to nobody`(text: String) throws {
        var json = try release().json
        for member in try JSONValue(parsing: Array(text.utf8)).object("x").members { json[member.key] = member.value }
        let read = try Release(json: json, format: 2)
        let older = try release("r0", version: "0.9.0")
        for platform in ["ios", nil] {
            let decision = RolloutDecision(
                app: "shop", package: package, releases: [read, older],
                device: DeviceFacts(deviceID: "d1", platform: platform, tags: ["x": "x"]))
            #expect(decision.release == older, "\(decision)")
        }
        // Nor is it lost by a program that writes the file anew.
        let file = ChannelFile(
            app: "shop", channel: try ChannelName("beta"), packages: [package: .init(releases: [read])])
        #expect(file.neededFormat == 2 && file.inFormat1.packages[package]?.releases == [])
    }

    @Test(arguments: [
        #"{"audiences":[]}"#, #"{"audiences":[[]]}"#, #"{"audiences":7}"#, #"{"share":10001}"#, #"{"share":"1"}"#,
    ])
    func `an audience or a share that says nothing is refused with the file`(text: String) throws {
        var json = try release().json
        for member in try JSONValue(parsing: Array(text.utf8)).object("x").members { json[member.key] = member.value }
        #expect(throws: (any Error).self) { try Release(json: json, format: 2) }
    }

    @Test func `a file of format 1 that says more than format 1 may gives that to nobody`() throws {
        for (field, value) in [("audiences", JSONValue.array([])), ("share", .integer(10))] {
            var json = try release().json
            json[field] = value
            let read = try Release(json: json, format: 1)
            let decision = RolloutDecision(
                app: "shop", package: package, releases: [read], device: DeviceFacts(deviceID: "d1"))
            #expect(decision.release == nil)
        }
    }

    private static func rollout(using dice: inout some RandomNumberGenerator) throws -> Rollout {
        let conditions = [
            "platform=ios", "platform=linux", "tag.tier=gold", "app>=2", "os>=17", "region=AT", "device=d3",
            "device!=d4",
        ]
        let audiences = try (0..<Int.random(in: 0...2, using: &dice)).map { _ in
            let chosen = (0..<Int.random(in: 1...2, using: &dice)).compactMap { _ in
                conditions.randomElement(using: &dice)
            }
            return try Audience(chosen.joined(separator: "; "))
        }
        let share = [0, 25, 50, 100, 4_950, 10_000].randomElement(using: &dice) ?? 0
        return Rollout(share: try Share(tenThousandths: share), audiences: audiences)
    }

    @Test func `a device that reads format 1 gets nothing that format 2 would not give it`() throws {
        var dice = SystemRandomNumberGenerator()
        for round in 0..<300 {
            let releases = try (0..<4).map { try release("r\(round)-\($0)", Self.rollout(using: &dice)) }
            let file = ChannelFile(
                app: "shop", channel: try ChannelName("beta"), packages: [package: .init(releases: releases)])
            #expect(try ChannelFile(parsing: file.bytes) == file)
            let old = try ChannelFile(parsing: file.inFormat1.bytes)
            #expect(old.neededFormat == 1)
            for device in 0..<8 {
                let facts = DeviceFacts(
                    deviceID: "d\(device)", appVersion: try AppVersion("\(device % 3 + 1).0.0"),
                    platform: ["ios", "linux"][device % 2], tags: device > 4 ? ["tier": "gold"] : [:])
                let taken = RolloutDecision(
                    app: "shop", package: package, releases: old.packages[package]?.releases ?? [], device: facts
                ).release
                guard let taken, let whole = releases.first(where: { $0.id == taken.id }) else { continue }
                let alone = RolloutDecision(app: "shop", package: package, releases: [whole], device: facts)
                #expect(alone.release == whole, "\(whole) \(facts)")
            }
        }
    }
}
