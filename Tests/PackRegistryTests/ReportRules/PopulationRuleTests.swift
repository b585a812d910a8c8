import PackFormat
import PackJSON
import Testing

@testable import PackRegistry
@testable import PackRegistryAPI

/// How what devices say becomes a population.
struct PopulationRuleTests {
    private static func presence(
        _ package: String, _ version: String, _ facts: ReportFacts, _ devices: Int
    ) throws -> PresenceCount {
        try PresenceCount(
            package: PackageID(package), version: SemanticVersion(version), facts: facts, devices: devices)
    }

    private static let old = ReportFacts(platform: "android", osVersion: "14", appVersion: "3.1")
    private static let new = ReportFacts(platform: "ios", osVersion: "17.4", appVersion: "3.2")

    @Test func `a device that has two packages counts once for each fact, and once for each package`() throws {
        let population = try PopulationRule.population([
            Self.presence("shop", "1.0.0", Self.old, 30), Self.presence("shop", "1.1.0", Self.new, 50),
            Self.presence("shop", "1.1.0", ReportFacts(), 20), Self.presence("cart", "2.0.0", Self.new, 50),
        ])
        #expect(population.devices == 100)
        #expect(population.platforms == ["android": 30, "ios": 50, nil: 20])
        #expect(population.osVersions == ["14": 30, "17.4": 50, nil: 20])
        #expect(population.appVersions == ["3.1": 30, "3.2": 50, nil: 20])
        let (shop, cart) = try (PackageID("shop"), PackageID("cart"))
        #expect(try population.versions[shop] == [SemanticVersion("1.0.0"): 30, SemanticVersion("1.1.0"): 70])
        #expect(try population.versions[cart] == [SemanticVersion("2.0.0"): 50])
    }

    @Test func `devices of which each has another package are all counted`() throws {
        let population = try PopulationRule.population([
            Self.presence("shop", "1.0.0", Self.new, 100), Self.presence("pos", "1.0.0", Self.old, 80),
        ])
        #expect(population.devices == 180)
        #expect(population.platforms == ["ios": 100, "android": 80])
    }

    @Test func `versions that few have count as the one that most have`() throws {
        let presences = try (0..<300).map { try Self.presence("shop", "1.\($0).0", Self.new, $0 == 7 ? 50 : 1) }
        let versions = try #require(PopulationRule.population(presences).versions[PackageID("shop")])
        #expect(versions.count == ReportPopulation.maximumValueCount && versions.values.reduce(0, +) == 349)
        #expect(try versions[SemanticVersion("1.7.0")] == 150)
    }

    @Test func `of a version no more is reported than many devices have in common`() throws {
        let facts = try ReportFacts(
            DeviceFacts(
                deviceID: "d", appVersion: AppVersion("3.2.0+ann"), platform: "iOS",
                osVersion: AppVersion("17.4.1 (21219)")))
        #expect(facts == ReportFacts(platform: "ios", osVersion: "17.4", appVersion: "3.2.0"))
    }

    @Test func `a simulation takes it as it is, and a reader gets it back`() throws {
        let population = try PopulationRule.population([
            Self.presence("shop", "1.0.0", Self.old, 30), Self.presence("shop", "1.1.0", Self.new, 70),
            Self.presence("cart", "2.0.0", Self.new, 40),
        ])
        let text = JSONValue.object(population.json).compactText
        #expect(try ReportPopulation(json: JSONValue(parsing: text).object()) == population)
        let simulated = try Population(parsing: Array(text.utf8))
        #expect(simulated.deviceCount == 100)
        let devices = (0..<10_000).map { simulated.device($0) }
        let cart = try PackageID("cart")
        #expect((2_800...3_200).contains(devices.filter { $0.facts.platform == "android" }.count))
        // 60 of 100 devices have other packages only.
        #expect((5_800...6_200).contains(devices.filter { $0.installed[cart] == nil }.count))
    }

    @Test func `of very many values the frequent ones stay, and the rest is not known`() throws {
        let presences = try (0..<500).map { number in
            try Self.presence("shop", "1.0.0", ReportFacts(appVersion: "1.\(number)"), number < 10 ? 100 : 1)
        }
        let population = PopulationRule.population(presences)
        #expect(population.appVersions.count == ReportPopulation.maximumValueCount + 1)
        #expect(population.appVersions["1.3"] == 100 && population.devices == 1_490)
        #expect(population.appVersions.values.reduce(0, +) == 1_490)
        _ = try Population(parsing: Array(JSONValue.object(population.json).compactText.utf8))
    }

    @Test func `a forged platform called none is not known, and nothing of it breaks the document`() throws {
        let population = try PopulationRule.population([
            Self.presence("shop", "1.0.0", ReportFacts(platform: "none"), 3),
            Self.presence("shop", "1.0.0", ReportFacts(platform: "a\"<b"), 4),
        ])
        #expect(population.platforms == [nil: 3, "a\"<b": 4])
        _ = try Population(parsing: Array(JSONValue.object(population.json).compactText.utf8))
    }
}
