import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// When and how a device takes a release that it is admitted to.
@Suite("ClientPolicyTests") struct ClientPolicyTests {
    private let package = try! PackageID("checkout")

    private func release(
        _ version: String, _ policy: ClientPolicy = .standard, rollout: Rollout = .everyone
    ) throws -> Release {
        try Release(
            id: "r-\(version.replacing(".", with: "-"))",
            offer: .version(SemanticVersion(version), manifest: Digest(of: Array(version.utf8))), rollout: rollout,
            policy: policy)
    }

    private func file(_ releases: [Release], skipped: [Release] = []) throws -> ChannelFile {
        ChannelFile(
            app: "shop", channel: try ChannelName("beta"),
            packages: [package: .init(releases: releases, skippedMandatory: skipped)])
    }

    @Test(arguments: [
        ("mon-fri 22:00-05:00", "mon-fri 22:00-05:00"), ("22:00-05:00", "22:00-05:00"),
        ("sat,sun 8:00-20:00", "sat,sun 08:00-20:00"),
        ("fri-mon 00:00-24:00", "mon,fri-sun 00:00-24:00"), ("MON,wed 01:00-02:30", "mon,wed 01:00-02:30"),
        ("mon-sun 01:00-02:00", "01:00-02:00"),
    ])
    func `hours are written as people write them`(text: String, printed: String) throws {
        let window = try LocalWindow(text)
        #expect(window.description == printed)
        #expect(try LocalWindow(printed) == window)
    }

    @Test(arguments: [
        ("", "needs days and hours"), ("mon-fri", "no pair of hours"), ("22:00-22:00", "ends when it begins"),
        ("24:00-05:00", "00:00 to 23:59"), ("22:00-25:00", "no pair of hours"), ("mo 22:00-23:00", "\"mo\" is no day"),
        ("mon- 22:00-23:00", "is no day"), ("22:00-23:60", "no pair of hours"), ("a b 22:00-23:00", "days and hours"),
        ("22.00-23.00", "no pair of hours"),
    ])
    func `what are no hours is refused with the reason`(text: String, reason: String) {
        let error = #expect(throws: FormatError.self) { try LocalWindow(text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func `a night belongs to the day on which it begins`() throws {
        let nights = try LocalWindow("mon-fri 22:00-05:00")
        for (day, minute, isIn) in [
            (Weekday.mon, 21 * 60 + 59, false), (.mon, 22 * 60, true), (.tue, 0, true), (.tue, 4 * 60 + 59, true),
            (.tue, 5 * 60, false), (.sat, 2 * 60, true), (.sat, 23 * 60, false), (.sun, 2 * 60, false),
            (.mon, 2 * 60, false),
        ] {
            #expect(nights.contains(LocalTime(day, minute: minute)) == isIn, "\(day) \(minute)")
        }
        let weekend = try LocalWindow("sat,sun 08:00-20:00")
        #expect(
            weekend.contains(LocalTime(.sun, minute: 8 * 60)) && !weekend.contains(LocalTime(.sun, minute: 20 * 60)))
    }

    @Test func `local time is what the wall shows`() throws {
        // 2026-11-24 21:30 UTC, a Tuesday.
        let date = Date(timeIntervalSince1970: 1_795_555_800)
        let utc = try #require(TimeZone(secondsFromGMT: 0))
        #expect(LocalTime(date, in: utc) == LocalTime(.tue, minute: 21 * 60 + 30))
        #expect(try LocalTime(date, in: #require(TimeZone(secondsFromGMT: 5 * 3600))) == LocalTime(.wed, minute: 150))
        let before = Date(timeIntervalSince1970: -60)
        #expect(LocalTime(before, in: utc) == LocalTime(.wed, minute: 23 * 60 + 59))
    }

    @Test func `a policy is the same after JSON, and says nothing where it is standard`() throws {
        for policy in try [
            ClientPolicy.standard, ClientPolicy(install: .now, isMandatory: true), ClientPolicy(network: .unmetered),
            ClientPolicy(install: .nextStart, network: .unmetered, window: LocalWindow("sat 01:00-02:00")),
        ] {
            let file = try file([release("1.0.0", policy)])
            #expect(try ChannelFile(parsing: file.bytes) == file)
            #expect(file.neededFormat == (policy == .standard ? 1 : 2))
        }
        #expect(throws: FormatError.self) { try ClientPolicy(network: .unmetered, isMandatory: true) }
        #expect(throws: FormatError.self) { try ClientPolicy(window: LocalWindow("01:00-02:00"), isMandatory: true) }
    }

    @Test(arguments: [
        #"{"when":"later"}"#, #"{"install":"tomorrow"}"#, #"{"network":"wifi"}"#, #"{"mandatory":1}"#, #"[]"#,
        #""now""#,
        #"{"window":{"from":"22:00"}}"#, #"{"window":{"from":"22:00","to":"05:00","zone":"UTC"}}"#,
        #"{"window":{"days":["monday"],"from":"22:00","to":"05:00"}}"#,
        #"{"window":{"days":[],"from":"22:00","to":"05:00"}}"#,
        #"{"mandatory":true,"network":"unmetered"}"#, #"{"window":null}"#, #"{"install":null}"#,
    ])
    func `a release with a policy that is not understood is taken by nobody`(text: String) throws {
        var json = try release("1.1.0").json
        json["policy"] = try JSONValue(parsing: Array(text.utf8))
        let read = try Release(json: json, format: 2)
        let older = try release("1.0.0")
        let decision = RolloutDecision(
            app: "shop", package: package, releases: [read, older], device: DeviceFacts(deviceID: "d"))
        #expect(decision.release == older)
        #expect(decision.steps.first?.reason == .notUnderstood("policy"))
        // Not in the file of format 1 either, and no program that writes the file anew makes it one that is.
        #expect(try file([read]).inFormat1.packages[package]?.releases == [])
        #expect(try Release(json: json, format: 1).unknownFields == ["policy"])
    }

    @Test func `a device waits for its network and its hours, with the reason, and for nothing that is not asked`()
        throws
    {
        let night = try ClientPolicy(network: .unmetered, window: LocalWindow("22:00-05:00"))
        let (day, late) = (LocalTime(.mon, minute: 600), LocalTime(.mon, minute: 23 * 60))
        #expect(night.delay(network: .metered, at: late) == "it waits for an unmetered network")
        #expect(
            night.delay(network: nil, at: late)
                == "it waits for an unmetered network, and the app does not say what this one is")
        #expect(night.delay(network: .unmetered, at: day) == "it waits for its time, 22:00-05:00 local time")
        #expect(night.delay(network: .unmetered, at: late) == nil)
        #expect(night.delay(network: .metered, needsNetwork: false, at: late) == nil)
        #expect(ClientPolicy.standard.delay(network: nil, at: day) == nil)
    }

    @Test func `devices that read format 1 are offered no release that waits, and go by what is below it`() throws {
        let waiting = try release("1.1.0", ClientPolicy(network: .unmetered))
        let urgent = try release("1.2.0", ClientPolicy(install: .now, isMandatory: true))
        #expect(!waiting.hidesEarlier && urgent.hidesEarlier)
        let old = try file([waiting, release("1.0.0")]).inFormat1
        #expect(old.packages[package]?.releases.map(\.version?.description) == ["1.0.0"])
        // A mandatory one is a release like any other to them.
        let plain = try #require(try file([urgent]).inFormat1.packages[package]?.releases.first)
        #expect(plain.version == urgent.version && plain.policy == .standard)
    }

    @Test func `a newer release is mandatory for a device that skips a mandatory one, and for no other`() throws {
        let newest = try release("1.3.0", ClientPolicy(install: .nextStart, network: .unmetered))
        let mandatory = try release(
            "1.2.0", ClientPolicy(isMandatory: true), rollout: Rollout(audiences: [Audience("platform=ios")]))
        func terms(_ running: String?, _ platform: String?, listed: Bool = true) throws -> RolloutDecision.Terms {
            let offered = listed ? [newest, mandatory] : [newest]
            let file = try ChannelFile(parsing: file(offered, skipped: listed ? [] : [mandatory]).bytes)
            return RolloutDecision.terms(
                of: newest, in: try #require(file.packages[package]), app: "shop", package: package,
                device: DeviceFacts(deviceID: "d", platform: platform),
                running: try running.map { try SemanticVersion($0) })
        }
        for listed in [true, false] {
            let skips = try terms("1.1.0", "ios", listed: listed)
            #expect(skips.policy.isMandatory && !skips.policy.delays && skips.skipped == mandatory.version)
            #expect(skips.policy.install == .nextStart)
            for (running, platform) in [("1.2.0", "ios"), ("1.1.0", "android"), (nil, "ios"), ("1.1.0", nil)] {
                #expect(try terms(running, platform, listed: listed).policy == newest.policy)
            }
        }
    }

    /// A device that waits for nothing is a device that gets more.
    @Test func `a mandatory release with what this program does not know makes no newer one mandatory`() throws {
        let newest = try release("1.3.0", ClientPolicy(network: .unmetered))
        let mandatory = try release("1.2.0", ClientPolicy(isMandatory: true))
        func isMandatory(_ key: String? = nil, _ value: String = "null") throws -> Bool {
            var json = try JSONValue(parsing: file([newest], skipped: [mandatory]).bytes).object("file")
            var packages = try json.object("packages")
            var content = try packages.object(package.text)
            var skipped = try content.array("skippedMandatory")[0].object("release")
            if let key { skipped[key] = try JSONValue(parsing: value) }
            content["skippedMandatory"] = .array([.object(skipped)])
            packages[package.text] = .object(content)
            json["packages"] = .object(packages)
            let read = try ChannelFile(parsing: JSONValue.object(json).canonicalBytes)
            return RolloutDecision.terms(
                of: newest, in: try #require(read.packages[package]), app: "shop", package: package,
                device: DeviceFacts(deviceID: "d"), running: try SemanticVersion("1.1.0")
            ).policy.isMandatory
        }
        #expect(try isMandatory())
        for (key, value) in [
            ("audiences", #"[[{"kind":"moon"}]]"#), ("policy", #"{"mandatory":true,"battery":50}"#), ("until", "7"),
        ] {
            #expect(try !isMandatory(key, value), "\(key)")
        }
    }

    @Test func `how often to look travels, is bounded, and is no matter of format 1`() throws {
        let poll = try ChannelPoll(seconds: 900)
        #expect(poll.jitter == 90)
        let file = ChannelFile(app: "shop", channel: try ChannelName("beta"), packages: [:], poll: poll)
        #expect(try ChannelFile(parsing: file.bytes).poll == poll)
        #expect(file.neededFormat == 2 && file.inFormat1.poll == nil)
        func read(_ text: String) throws -> ChannelPoll? {
            let document = #"{"format":2,"app":"shop","channel":"beta","packages":{},"poll":\#(text)}"#
            return try ChannelFile(parsing: Array(document.utf8)).poll
        }
        #expect(try read(#"{"seconds":1,"jitter":-4,"more":1}"#)?.seconds == 60)
        #expect(try read(#"{"seconds":99999999}"#)?.seconds == 604_800)
        for text in ["7", "null", "{}", #"{"seconds":"900"}"#, #"{"seconds":900,"jitter":"x"}"#] {
            #expect(throws: (any Error).self, "\(text)") { try read(text) }
        }
        for seconds in [59, 604_801, -1] { #expect(throws: FormatError.self) { try ChannelPoll(seconds: seconds) } }
    }

    @Test func `the app's version is read as stores write it where a package requires one`() throws {
        let range = try VersionRange(">=3.2.0 <2025.0.0")
        for (text, isIn) in [
            ("3.2", true), ("2024.3.1 (17)", true), ("3.1.9 (900)", false), ("2025", false), ("3.2.0-beta.1", false),
        ] {
            #expect(try range.contains(AppVersion(text)) == isIn, "\(text)")
        }
    }
}
