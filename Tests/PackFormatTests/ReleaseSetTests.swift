import Foundation
import PackJSON
import Testing

@testable import PackFormat

/// Which devices get the releases of a set: all of them or none.
@Suite("ReleaseSetTests") struct ReleaseSetTests {
    private let names = try! ["admin", "shop", "news"].map { try PackageID($0) }

    private func release(
        _ name: String, _ rollout: Rollout = .everyone, set: String?, app: String? = nil
    ) throws -> Release {
        try Release(
            id: name, offer: .version(SemanticVersion("1.0.0"), manifest: Digest(of: Data(name.utf8))),
            rollout: rollout, requiredApp: app.map { try VersionRange($0) }, set: set)
    }

    private func file(_ packages: [PackageID: [Release]]) throws -> ChannelFile {
        ChannelFile(
            app: "shop", channel: try ChannelName("beta"), packages: packages.mapValues { .init(releases: $0) })
    }

    /// The ids of the releases that a device takes, by package.
    private func taken(_ file: ChannelFile, _ device: DeviceFacts) -> [String] {
        let refused = ReleaseSets(of: file).refusals(app: file.app, device)
        return file.packages.sorted { $0.key < $1.key }.map { package, content in
            RolloutDecision(
                app: file.app, package: package, releases: content.releases, device: device, refusedSets: refused
            ).release?.id ?? "none"
        }
    }

    @Test func `at every share a device gets all packages of a set or none`() throws {
        for percent in [1, 10, 50, 99] {
            let file = try file([
                names[0]: [release("a2", Rollout(percent: percent), set: "s1"), release("a1", set: nil)],
                names[1]: [release("b2", Rollout(percent: percent), set: "s1"), release("b1", set: nil)],
            ])
            var counts: [[String]: Int] = [:]
            for device in 0..<2_000 { counts[taken(file, DeviceFacts(deviceID: "d\(device)")), default: 0] += 1 }
            #expect(Set(counts.keys).isSubset(of: [["a2", "b2"], ["a1", "b1"]]))
            let share = Double(counts[["a2", "b2"]] ?? 0) / 20
            #expect(abs(share - Double(percent)) < 4.5, "\(counts)")
        }
    }

    /// Computed with `printf %s shop//s1/device-1 | sha256sum | head -c 16`.
    @Test func `the bucket of a set is that of its id and the device`() {
        #expect(
            RolloutDecision.bucket(app: "shop", package: names[0], release: "r1", set: "s1", device: "device-1")
                == 0xa8d29e13468c3bb0)
        for package in names {
            let own = RolloutDecision.bucket(app: "shop", package: package, release: "r", set: "s1", device: "d")
            #expect(own == RolloutDecision.bucket(app: "shop", package: names[0], release: "q", set: "s1", device: "d"))
        }
    }

    @Test func `a package that does not admit the device keeps it from the whole set, and says so`() throws {
        let file = try file([
            names[0]: [release("a2", set: "s1"), release("a1", set: nil)],
            names[1]: [release("b2", set: "s1", app: ">=5.0.0"), release("b1", set: nil)],
        ])
        let old = DeviceFacts(deviceID: "d", appVersion: try AppVersion("4.0.0"))
        #expect(taken(file, old) == ["a1", "b1"])
        let decision = RolloutDecision(
            app: "shop", package: names[0], releases: file.packages[names[0]]?.releases ?? [], device: old,
            refusedSets: ReleaseSets(of: file).refusals(app: "shop", old))
        #expect(
            decision.steps.first?.reason.description
                == "its set is skipped: shop: it requires app >=5.0.0 and this is 4.0.0")
        #expect(taken(file, DeviceFacts(deviceID: "d", appVersion: try AppVersion("5.0.0"))) == ["a2", "b2"])
    }

    @Test func `a newer release of one package leaves the set to the others`() throws {
        let file = try file([
            names[0]: [release("a3", set: nil), release("a2", set: "s1")], names[1]: [release("b2", set: "s1")],
        ])
        #expect(taken(file, DeviceFacts(deviceID: "d")) == ["a3", "b2"])
    }

    @Test func `a device that reads format 1 gets a set only when everybody does, and without its name`() throws {
        let partial = try file([
            names[0]: [release("a2", Rollout(percent: 50), set: "s1"), release("a1", set: nil)],
            names[1]: [release("b2", Rollout(percent: 50), set: "s1"), release("b1", set: nil)],
        ])
        #expect(partial.neededFormat == 2)
        #expect(try ChannelFile(parsing: partial.bytes) == partial)
        #expect(taken(partial.inFormat1, DeviceFacts(deviceID: "d")) == ["a1", "b1"])
        let whole = try file([names[0]: [release("a2", set: "s1")], names[1]: [release("b2", set: "s1")]])
        #expect(whole.neededFormat == 2)
        #expect(taken(whole.inFormat1, DeviceFacts(deviceID: "d")) == ["a2", "b2"])
        #expect(!String(decoding: whole.inFormat1.bytes, as: UTF8.self).contains("set"))
        let audience = try file([
            names[0]: [release("a2", Rollout(audiences: [Audience("platform=ios")]), set: "s1")]
        ])
        #expect(audience.inFormat1.packages[names[0]]?.releases == [])
    }

    @Test func `a set in a file of format 1, or with an impossible name, is taken by nobody`() throws {
        var json = try release("r1", set: nil).json
        json["set"] = "s1"
        #expect(try Release(json: json, format: 1).unknownFields == ["set"])
        for name in ["", "a b", String(repeating: "x", count: 65)] {
            #expect(throws: (any Error).self) { try release("r1", set: name) }
        }
    }

    @Test func `what is found out about one package's sets is what all packages say, one after the other`() throws {
        var dice = SystemRandomNumberGenerator()
        for round in 0..<60 {
            var packages: [PackageID: [Release]] = [:]
            for name in names {
                packages[name] = try (0..<3).map { index in
                    try release(
                        "\(name)-\(round)-\(index)", Rollout(percent: [0, 30, 100].randomElement(using: &dice) ?? 0),
                        set: ["s0", "s1", "s2", nil].randomElement(using: &dice) ?? nil,
                        app: [">=2.0.0", "<2.0.0", nil].randomElement(using: &dice) ?? nil)
                }
            }
            let file = try file(packages)
            let sets = ReleaseSets(of: file)
            for number in 0..<12 {
                let device = DeviceFacts(deviceID: "d\(number)", appVersion: try AppVersion("\(number % 3 + 1).0"))
                let all = sets.refusals(app: "shop", device)
                for set in sets.ids {
                    let first = sets.members(of: set).sorted { $0.key < $1.key }.compactMap {
                        package, release -> String? in
                        let reason = RolloutDecision.reason(release, of: package, app: "shop", device)
                        return reason.isAdmitted ? nil : "\(package): \(reason)"
                    }.first
                    #expect(all[set] == first)
                    for package in names where sets.members(of: set)[package] != nil {
                        #expect(sets.refusals(app: "shop", of: package, device)[set] == first)
                    }
                }
            }
        }
    }

    /// Two thousand packages in one set: the refusals are found once, not for each package.
    @Test func `a set of two thousand packages is decided for a device in one pass`() throws {
        var packages: [PackageID: [Release]] = [:]
        for index in 0..<2_000 {
            packages[try PackageID("p\(index)")] = [try release("r\(index)", Rollout(percent: 50), set: "s1")]
        }
        let file = try file(packages)
        let clock = ContinuousClock()
        let time = clock.measure {
            let taken = Set(taken(file, DeviceFacts(deviceID: "d1")).map { $0 == "none" })
            #expect(taken.count == 1)
        }
        // A debug build; quadratic work would take minutes.
        #expect(time < .seconds(3), "\(time)")
    }
}
