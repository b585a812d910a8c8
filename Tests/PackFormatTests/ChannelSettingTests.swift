import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// The gate and the web rules in a channel's file.
@Suite("ChannelSettingTests") struct ChannelSettingTests {
    private let package = try! PackageID("checkout")

    private func file() throws -> ChannelFile {
        let release = try Release(
            id: "r1", offer: .version(SemanticVersion("1.0.0"), manifest: Digest(of: [1])))
        return ChannelFile(
            app: "shop", channel: try ChannelName("beta"), packages: [package: .init(releases: [release])])
    }

    private func read(_ change: (inout JSONObject) throws -> Void) throws -> ChannelFile {
        var json = try JSONValue(parsing: file().with(poll: ChannelPoll(seconds: 900)).bytes).object("file")
        try change(&json)
        return try ChannelFile(parsing: JSONValue.object(json).canonicalBytes)
    }

    private static let rules = WebRules([
        WebRules.Rule(name: "films", action: .online, types: ["video/*"], minimumSize: 5, maximumSize: 9),
        WebRules.Rule(name: "ads", action: .deny, host: "*.ads.example", path: "/a*"),
    ])

    @Test func `a gate reaches devices of format 1 as well, and releases and settings leave each other alone`() throws {
        let off = try file().with(gate: false, of: package)
        #expect(off.neededFormat == 1)
        #expect(try ChannelFile(parsing: off.bytes).packages[package]?.isEnabled == false)
        let both = try off.with(rules: Self.rules).with(poll: ChannelPoll(seconds: 900))
        #expect(both.inFormat1.packages[package]?.isEnabled == false)
        let offered = both.offering([], skippedMandatory: [], of: package)
        #expect(
            offered.packages[package]?.isEnabled == false && offered.rules == Self.rules && offered.poll == both.poll)
        #expect(
            try offered.with(gate: true, of: package).with(gate: false, of: PackageID("other"))
                == offered.with(gate: true, of: package))
        #expect(try both.with(gate: true, of: package).with(rules: nil).with(poll: nil) == file())
    }

    @Test func `rules travel in format 2 only, and are the same after it`() throws {
        let file = try file().with(rules: Self.rules)
        #expect(file.neededFormat == 2 && file.inFormat1.rules == nil)
        #expect(try ChannelFile(parsing: file.bytes) == file)
        #expect(!String(decoding: file.inFormat1.bytes, as: UTF8.self).contains("films"))
    }

    @Test(arguments: [
        #"{"format":2,"rules":[]}"#, #"{"format":1,"rules":[{"name":"a","action":"explode"}]}"#,
        #"{"format":1,"rules":[{"name":"a","action":"deny","hots":"x"}]}"#, #"{"format":1,"rules":[],"more":1}"#,
        #"{"format":1,"rules":[],"api":{"/api/":"https://api.example.com/"}}"#, "null", "[]", "7",
    ])
    func `a file whose rules are not understood is refused as a whole`(text: String) throws {
        #expect(throws: FormatError.self) {
            try read { $0["rules"] = try JSONValue(parsing: Array(text.utf8)) }
        }
    }

    @Test(arguments: ["null", "\"off\"", "0", "{}", "\"maybe\""])
    func `a gate that is neither on nor off refuses the file, so that the last one holds`(text: String) throws {
        #expect(throws: FormatError.self) {
            try read { json in
                var packages = try json.object("packages")
                var checkout = try packages.object("checkout")
                checkout["enabled"] = try JSONValue(parsing: Array(text.utf8))
                packages["checkout"] = .object(checkout)
                json["packages"] = .object(packages)
            }
        }
    }

    @Test func `a fault in rules is named with its place`() throws {
        for (text, place) in [
            (
                #"{"format":1,"rules":[{"name":"a","action":"deny"},{"name":"b","action":"block"}]}"#,
                "rules[1]: \"action\" must be local, online or deny, not \"block\""
            ),
            (
                #"{"format":1,"rules":[{"name":"a","action":"deny","hots":"x"}]}"#,
                "rules[0]: the field \"hots\" is not known"
            ),
            (
                #"{"format":1,"rules":[{"name":"a","action":"deny","minimumSize":"1"}]}"#,
                "rules[0]: \"minimumSize\" must be an integer"
            ),
            ("{\"format\":1,\n\"rules\":[}", "line 2, column 10"),
        ] {
            let error = #expect(throws: FormatError.self) { try WebRules(parsing: Array(text.utf8)) }
            #expect(error?.description.contains(place) == true, "\(error?.description ?? "")")
        }
    }

    @Test func `a channel has no more rules than a device can keep in its state`() throws {
        let many = WebRules(
            (0..<1_000).map {
                WebRules.Rule(name: "rule \($0)", action: .deny, host: "a\($0).example", path: "/some/long/path/*")
            })
        let error = #expect(throws: FormatError.self) { try file().with(rules: many) }
        #expect(error?.description.contains("at most 65536 bytes") == true)
    }

    /// Fields of a newer registry, in any place of a file.
    @Test func `whatever a newer registry adds, no device gets more than without it`() throws {
        var dice = SystemRandomNumberGenerator()
        let values: [JSONValue] = [.null, true, .integer(7), .string("x"), .array([]), .object([:])]
        let policies = ["standard", "network", "mandatory"]
        for round in 0..<2_000 {
            var release = try JSONValue(parsing: file().bytes).object("f").object("packages").object("checkout").array(
                "releases")[0].object("r")
            switch policies[round % 3] {
            case "network": release["policy"] = .object(["network": "unmetered"])
            case "mandatory": release["policy"] = .object(["mandatory": true])
            default: break
            }
            let value = values.randomElement(using: &dice) ?? .null
            let place = round % 4
            let names = ["window", "x\(round)", "audiences", "hold", "install", "network", "share"]
            let name = names.randomElement(using: &dice) ?? "x"
            if place == 0 { release[name] = value }
            if place == 1 {
                var policy = try release["policy"]?.object("policy") ?? [:]
                guard policy[name] == nil else { continue }
                policy[name] = value
                release["policy"] = .object(policy)
            }
            var checkout: JSONObject = ["releases": .array([.object(release)])]
            if place == 2 { checkout["x\(round)"] = value }
            var document: JSONObject = [
                "format": 2, "app": "shop", "channel": "beta", "packages": .object(["checkout": .object(checkout)]),
            ]
            if place == 3 { document["x\(round)"] = value }
            guard let read = try? ChannelFile(parsing: JSONValue.object(document).canonicalBytes) else { continue }
            let releases = read.packages[package]?.releases ?? []
            let taken = RolloutDecision(
                app: "shop", package: package, releases: releases, device: DeviceFacts(deviceID: "d")
            ).release
            // With a field that it does not know in a release, a device takes nothing; elsewhere it changes nothing.
            if place <= 1 {
                #expect(taken == nil, "\(JSONValue.object(release).compactText)")
            } else {
                #expect(taken?.policy == ClientPolicy(json: release["policy"] ?? .object([:])))
            }
        }
    }
}
