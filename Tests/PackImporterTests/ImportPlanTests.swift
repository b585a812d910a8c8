import Foundation
import PackFormat
import PackRegistryAPI
import Testing

@testable import PackImporter

struct ImportPlanTests {
    private static func release(
        _ version: String, _ channel: String? = nil, file: String? = nil, at seconds: Double? = nil,
        _ change: (inout ExportedRelease) -> Void = { _ in }
    ) throws -> ExportedRelease {
        let path = file ?? "\(version).zip"
        var release = ExportedRelease(
            file: ExportFile(path: path, url: URL(filePath: "/x/\(path)")), version: try SemanticVersion(version))
        release.channel = channel
        release.created = seconds.map { Date(timeIntervalSince1970: $0) }
        change(&release)
        return release
    }

    private static func plan(
        _ releases: [ExportedRelease], last: [String: String] = [:], names: [String: String] = [:],
        channel: String? = nil
    ) throws -> ImportPlan {
        var export = Export()
        export.releases = releases
        export.last = try last.mapValues { try SemanticVersion($0) }
        return try ImportPlan(
            export, package: PackageID("shop"), names: ChannelNames(names.mapValues { try ChannelName($0) }),
            channel: channel.map { try ChannelName($0) })
    }

    private static func offers(_ plan: ImportPlan) -> [String: [String]] {
        Dictionary(
            plan.offers.map { ($0.text, $1.map(\.version.description)) }, uniquingKeysWith: { $1 })
    }

    private static func fault(_ body: () throws -> ImportPlan) -> String {
        do { return "a plan: \(offers(try body()))" } catch { return "\(error)" }
    }

    @Test func `times decide the order, else versions do`() throws {
        let timed = try Self.plan([
            Self.release("2.0.0", "Stable", at: 30), Self.release("1.0.1", "Stable", at: 40),
            Self.release("1.0.0", "Stable", at: 10),
        ])
        #expect(timed.versions.map(\.version.description) == ["1.0.0", "2.0.0", "1.0.1"])
        #expect(Self.offers(timed) == ["stable": ["1.0.0", "2.0.0", "1.0.1"]])
        let plain = try Self.plan([Self.release("1.10.0", "a"), Self.release("1.9.0", "b"), Self.release("1.2.0")])
        #expect(plain.versions.map(\.version.description) == ["1.2.0", "1.9.0", "1.10.0"])
        #expect(Self.offers(plain) == ["a": ["1.10.0"], "b": ["1.9.0"]])
        #expect(
            Self.fault { try Self.plan([Self.release("1.0.0", at: 1), Self.release("1.1.0")]) }
                == "1.0.0.zip has a time and 1.1.0.zip has none, so their order is not known: give all of them a time, or none"
        )
    }

    @Test func `what was disabled is published and not offered, and what was taken back neither is`() throws {
        let plan = try Self.plan(
            [
                Self.release("1.0.0", "stable", at: 1), Self.release("1.1.0", "stable", at: 2) { $0.isDisabled = true },
                Self.release("1.2.0", "stable", at: 3) { $0.isMandatory = true }, Self.release("1.3.0", at: 4),
            ], last: ["stable": "1.2.0"], channel: "stable")
        #expect(plan.versions.count == 4)
        #expect(Self.offers(plan) == ["stable": ["1.0.0", "1.2.0"]])
        #expect(try plan.offers[ChannelName("stable")]?.map(\.isMandatory) == [false, true])
    }

    @Test func `a version on two channels is published once`() throws {
        let plan = try Self.plan([Self.release("1.0.0", "beta", at: 1), Self.release("1.0.0", "stable", at: 2)])
        #expect(plan.versions.count == 1 && Self.offers(plan) == ["beta": ["1.0.0"], "stable": ["1.0.0"]])
    }

    @Test func `what contradicts itself is refused with both names`() throws {
        #expect(
            Self.fault {
                try Self.plan([Self.release("1.0.0", file: "a.zip"), Self.release("1.0.0", file: "b.zip")])
            }.hasPrefix("a.zip and b.zip would both be the version 1.0.0"))
        #expect(
            Self.fault {
                try Self.plan([Self.release("1.0.0", "beta"), Self.release("1.0.0", "beta")])
            }.hasPrefix("1.0.0 is twice on beta"))
        #expect(
            Self.fault {
                try Self.plan([
                    Self.release("1.0.0", "a"),
                    Self.release("1.0.0", "b") { $0.requiredApp = try? VersionRange(">=2.0.0") },
                ])
            }.contains("say other app versions"))
    }

    @Test func `names of channels are mapped, and none is guessed`() throws {
        let releases = [try Self.release("1.0.0", "Production"), try Self.release("1.1.0", "Prod EU")]
        #expect(
            try Self.offers(Self.plan(releases, names: ["Production": "stable", "Prod EU": "eu"]))
                == ["stable": ["1.0.0"], "eu": ["1.1.0"]])
        #expect(Self.fault { try Self.plan(releases) }.contains("--map \"Prod EU\"=NAME"))
        #expect(
            Self.fault { try Self.plan(releases, names: ["production": "stable", "Prod EU": "eu"]) }
                == "the export has no channel or deployment \"production\" (it has: Prod EU, Production)")
        #expect(
            Self.fault { try Self.plan(releases, names: ["Production": "eu", "Prod EU": "eu"]) }.contains(
                "would both be the channel eu"))
    }

    @Test func `the note has the other system's name and time, and is one line of 500 bytes`() throws {
        let plan = try Self.plan([
            Self.release("1.0.0", at: 0) {
                $0.origin = "CodePush Production v1"
                $0.words = " Less\r\n waiting\t!"
            }, Self.release("1.1.0", at: 1) { $0.words = String(repeating: "é", count: 400) },
        ])
        #expect(plan.versions[0].note.text == "CodePush Production v1, 1970-01-01T00:00:00Z: Less waiting !")
        let long = try #require(plan.versions[1].note.text)
        #expect(long.hasPrefix("imported, 1970-01-01T00:00:01Z: é") && long.hasSuffix("é…"))
        #expect((499...500).contains(long.utf8.count))
        #expect(try Self.plan([Self.release("1.0.0")]).versions[0].note.isEmpty)
    }
}
