import Foundation
import PackFormat
import PackRegistry
import PackRegistryAPI
import Testing

/// A rollout on a described population: shares, times, downloads.
struct RolloutSimulationTests {
    private let shop = try! PackageID("shop")

    private func release(_ id: String, _ version: String, audience: String? = nil, set: String? = nil) throws -> Release
    {
        try Release(
            id: id, offer: .version(SemanticVersion(version), manifest: Digest(of: Array("\(id) \(version)".utf8))),
            rollout: Rollout(audiences: audience.map { [try Audience($0)] } ?? []), set: set)
    }

    private func channel(_ packages: [PackageID: [Release]]) throws -> ChannelFile {
        ChannelFile(app: "shop", channel: try ChannelName("beta"), packages: packages.mapValues { .init(releases: $0) })
    }

    private static let text = """
        {"devices": 200000, "seed": 7, "platforms": {"ios": 60, "android": 39, "none": 1},
         "appVersions": {"3.2.0": 80, "3.1.0": 20}, "osVersions": {"17.4": 1}, "tags": {"tier": {"gold": 5, "none": 95}},
         "versions": {"shop": {"1.0.0": 70, "0.9.0": 20, "none": 10}}, "checkIntervals": {"1h": 50, "24h": 50}}
        """

    private func population(_ replacing: [(String, String)] = []) throws -> Population {
        var text = Self.text
        for (old, new) in replacing { text = text.replacing(old, with: new) }
        return try Population(parsing: Array(text.utf8))
    }

    private func simulation(
        _ moments: [(Double, Int)], audience: String? = nil, _ population: Population
    ) throws -> RolloutSimulation {
        let target = try release("r2", "1.1.0", audience: audience)
        return try RolloutSimulation(
            channel([shop: [target, release("r1", "1.0.0")]]), targets: [shop: target],
            moments: moments.map { .init(time: $0 * 3_600, share: try Share(percent: $1)) }, population: population,
            downloads: [
                shop: [
                    nil: .init(size: 1_000, isFull: true), try SemanticVersion("1.0.0"): .init(size: 10, isFull: false),
                ]
            ])
    }

    @Test func `devices are as described, whatever part is asked for`() throws {
        let population = try population()
        var counts: [String: Int] = [:]
        for index in 0..<50_000 {
            let device = population.device(index)
            counts[device.facts.platform ?? "none", default: 0] += 1
            counts["version \(device.installed[shop]?.description ?? "none")", default: 0] += 1
            if device.facts.tags["tier"] == "gold" { counts["gold", default: 0] += 1 }
            if device.interval == 3_600 { counts["hourly", default: 0] += 1 }
            #expect(device.firstCheck >= 0 && device.firstCheck < device.interval)
        }
        for (name, percent) in [
            ("ios", 60.0), ("android", 39), ("none", 1), ("version 1.0.0", 70), ("version 0.9.0", 20),
            ("version none", 10), ("gold", 5), ("hourly", 50),
        ] {
            // Five standard deviations.
            #expect(abs(Double(counts[name] ?? 0) / 500 - percent) < 1.2, "\(name): \(counts)")
        }
        #expect(population.device(41).facts == population.device(41).facts)
        #expect(population.device(41).facts.deviceID != population.device(42).facts.deviceID)
    }

    @Test func `a share is met within the bounds of chance, and parts add up to the whole`() throws {
        let simulation = try simulation([(0, 5), (24, 25), (72, 60)], population())
        let whole = simulation.run(0..<40_000)
        var parts = SimulationResult(columnCount: RolloutSimulation.columnCount, momentCount: 3)
        for start in stride(from: 0, to: 40_000, by: 7_001) {
            parts.add(simulation.run(start..<min(40_000, start + 7_001)))
        }
        #expect(
            parts.updatedCount == whole.updatedCount && parts.columns == whole.columns && parts.bytes == whole.bytes)
        // 40,000 devices: three standard deviations. A million in the released program: 0.05 %.
        #expect(abs(Double(whole.updatedCount) / 400 - 60) < 0.75, "\(whole.updatedCount)")
        var total = 0
        for (index, percent) in [5.0, 25, 60].enumerated() {
            total += whole.updatesOfMoment[index]
            #expect(abs(Double(total) / 400 - percent) < 0.75, "\(whole.updatesOfMoment)")
        }
        #expect(whole.reasons.keys.sorted() == ["outside of the 60 %"])
        #expect(whole.columns.reduce(0, +) == whole.updatedCount)
        #expect(whole.decisionCount > 40_000)
    }

    @Test func `who checks once a day gets it within a day, who checks each hour within one`() throws {
        let population = try population([("\"1h\": 50, \"24h\": 50", "\"24h\": 1")])
        let simulation = try simulation([(0, 100)], population)
        #expect(simulation.horizon == 86_400)
        let result = simulation.run(0..<24_000)
        #expect(result.updatedCount == 24_000)
        let half = result.columns.prefix(RolloutSimulation.columnCount / 2).reduce(0, +)
        #expect(abs(half - 12_000) < 400, "\(half)")
    }

    @Test func `an audience, a device that has it, and what has no patch are counted`() throws {
        let population = try population([("\"1.0.0\": 70", "\"1.0.0\": 40, \"1.1.0\": 30")])
        let result = try simulation([(0, 100)], audience: "platform=ios; tag.tier=gold", population).run(0..<40_000)
        #expect(abs(Double(result.updatedCount) / 40_000 - 0.6 * 0.05 * 0.7) < 0.003, "\(result.updatedCount)")
        #expect(result.reasons["outside of the audience"] ?? 0 > 36_000)
        #expect(result.reasons["the device has it already"] ?? 0 > 200)
        // 0.9.0 has no patch, 1.0.0 has one, and some have nothing.
        let patched = result.downloadCount - result.withoutPatchCount - result.firstCount
        #expect(result.withoutPatchCount > 0 && result.firstCount > 0 && patched > 0)
        #expect(result.bytes == 10 * patched + 1_000 * (result.withoutPatchCount + result.firstCount))
        #expect(result.platforms["android"]?.updated == 0 && result.platforms["not known"] != nil)
    }

    @Test func `a set is simulated as one`() throws {
        let admin = try PackageID("admin")
        let targets = try [
            shop: release("s2", "1.1.0", set: "s"), admin: release("a2", "2.0.0", audience: "platform=ios", set: "s"),
        ]
        let file = try channel([
            shop: [release("s1", "1.0.0")], admin: [release("a1", "1.0.0")],
        ])
        let result = try RolloutSimulation(
            file, targets: targets, moments: [.init(time: 0, share: .whole)], population: population(), downloads: [:]
        ).run(0..<20_000)
        #expect(abs(Double(result.updatedCount) / 200 - 60) < 2, "\(result.updatedCount)")
        #expect(result.downloadCount == 2 * result.updatedCount)
    }

    @Test(arguments: [
        ("\"devices\": 200000", "\"devices\": 0", "devices: it must be 1 to"),
        ("\"ios\": 60", "\"ios\": -1", "platforms.ios: a weight is 0 or more"),
        ("\"platforms\"", "\"plattforms\"", "plattforms: the key is not known"),
        ("\"3.2.0\": 80", "\"3.x\": 80", "appVersions.3.x:"), ("\"1h\": 50", "\"1y\": 50", "checkIntervals.1y:"),
        ("{\"gold\": 5, \"none\": 95}", "{\"gold\": 0}", "tags.tier: the weights are all 0"),
        ("{\"1h\": 50, \"24h\": 50}", "{}", "checkIntervals: it must have 1 to 1,000 values"),
    ])
    func `a population that is not sound is refused with the place`(old: String, new: String, message: String) {
        let error = #expect(throws: RegistryError.self) { try population([(old, new)]) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func `a release that waits for an unmetered network is not given to devices on another one`() throws {
        let population = try population([
            ("\"seed\": 7,", "\"seed\": 7, \"networks\": {\"unmetered\": 50, \"metered\": 50},")
        ])
        let target = try release("r2", "1.1.0").with(policy: ClientPolicy(network: .unmetered))
        let simulation = try RolloutSimulation(
            channel([shop: [target, release("r1", "1.0.0")]]), targets: [shop: target],
            moments: [.init(time: 0, share: .whole)], population: population, downloads: [:])
        let result = simulation.run(0..<4_000)
        #expect(abs(result.updatedCount - 2_000) < 160, "\(result.updatedCount)")
        #expect(result.reasons["they wait for an unmetered network"] == 4_000 - result.updatedCount)
    }
}
