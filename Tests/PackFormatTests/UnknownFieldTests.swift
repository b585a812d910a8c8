import Foundation
import PackJSON
import TestSupport
import Testing

@testable import PackFormat

/// What a newer registry says that this program does not know gives no device more than it would get without it.
@Suite("UnknownFieldTests") struct UnknownFieldTests {
    /// More with PACKTOOL_LONG=1.
    private static let files = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 400 : 20_000

    /// What is put into a random place of a channel file.
    private enum Change: CaseIterable {
        case fieldOfRelease, conditionBeside, audienceBeside, conditionInPlace, fieldOfCondition, kindOfCondition
        case policy, fieldOfPolicy, valueOfPolicy, shareTwice, setOfAnotherKind, fieldOfPackage, fieldOfFile
        case fieldOfPoll, fieldOfGroup, format

        /// Whether nobody may get the release that was changed.
        var excludesAll: Bool {
            switch self {
            case .fieldOfRelease, .policy, .fieldOfPolicy, .valueOfPolicy, .shareTwice: true
            default: false
            }
        }
    }

    private static func facts(_ device: RandomDevice) throws -> DeviceFacts {
        try DeviceFacts(
            deviceID: device.id, appVersion: device.app.map { try AppVersion($0) }, platform: device.platform,
            tags: device.tags, osVersion: device.system.map { try AppVersion($0) }, locale: device.locale,
            region: device.region, model: device.model,
            network: device.isUnmetered.map { $0 ? .unmetered : .metered }, groups: device.groups)
    }

    private static let moon: JSONValue = .object(["kind": "moon", "phase": .integer(3)])

    /// The release with the change; nil where there is no place for it.
    private static func release(
        _ release: JSONObject, with change: Change, using dice: inout SeededGenerator
    ) throws -> JSONObject? {
        var release = release
        var audiences = try release["audiences"]?.array("audiences").map { try $0.array("audience") } ?? []
        let index = audiences.isEmpty ? 0 : Int.random(in: 0..<audiences.count, using: &dice)
        switch change {
        case .fieldOfRelease: release["until"] = "2027-01-01T00:00:00Z"
        case .conditionBeside: if audiences.isEmpty { audiences = [[moon]] } else { audiences[index].append(moon) }
        case .audienceBeside: audiences.append([moon])
        case .conditionInPlace:
            guard !audiences.isEmpty else { return nil }
            audiences[index][0] = moon
        case .fieldOfCondition, .kindOfCondition:
            guard !audiences.isEmpty, case .object(var condition) = audiences[index][0] else { return nil }
            condition[change == .fieldOfCondition ? "since" : "kind"] = "9"
            audiences[index][0] = .object(condition)
        case .policy: release["policy"] = .object(["moon": .integer(1)])
        case .fieldOfPolicy, .valueOfPolicy:
            var policy = try release["policy"]?.object("policy") ?? [:]
            policy[change == .fieldOfPolicy ? "battery" : "install"] = "charging"
            release["policy"] = .object(policy)
        case .shareTwice:
            release["percent"] = .integer(100)
            release["share"] = .integer(10_000)
        case .setOfAnotherKind: release["set"] = .object(["id": "s"])
        default: return nil
        }
        if !audiences.isEmpty { release["audiences"] = .array(audiences.map { .array($0) }) }
        return release
    }

    /// The file with the change, and the release that has it.
    private static func changed(
        _ file: JSONObject, _ change: Change, using dice: inout SeededGenerator
    ) throws -> (file: JSONObject, package: String?, release: String?)? {
        var file = file
        var packages = try file.object("packages")
        let name = packages.members[Int.random(in: 0..<packages.members.count, using: &dice)].key
        var package = try packages.object(name)
        switch change {
        case .fieldOfFile: file["newest"] = .array([moon])
        case .format: file["format"] = .integer(ChannelFile.currentFormat + 1)
        case .fieldOfPoll:
            file["poll"] = .object(["seconds": .integer(900), "jitter": .integer(60), "burst": .integer(3)])
        case .fieldOfGroup:
            var groups = try file.object("groups")
            var group = try groups.object("testers")
            group["sha512"] = "00"
            groups["testers"] = .object(group)
            file["groups"] = .object(groups)
        case .fieldOfPackage:
            package["everybody"] = true
            packages[name] = .object(package)
        default:
            var releases = try package.array("releases")
            guard !releases.isEmpty else { return nil }
            let index = Int.random(in: 0..<releases.count, using: &dice)
            guard let release = try Self.release(releases[index].object("release"), with: change, using: &dice) else {
                return nil
            }
            releases[index] = .object(release)
            package["releases"] = .array(releases)
            packages[name] = .object(package)
            file["packages"] = .object(packages)
            return (file, name, try release.string("id"))
        }
        file["packages"] = .object(packages)
        return (file, nil, nil)
    }

    /// The place of the release that a device takes among the package's, newest first; the end for none.
    private static func places(_ file: ChannelFile, _ facts: DeviceFacts) -> [PackageID: Int] {
        let refused = ReleaseSets(of: file).refusals(app: file.app, facts)
        return Dictionary(
            uniqueKeysWithValues: file.packages.map { package, content in
                let decision = RolloutDecision(
                    app: file.app, package: package, releases: content.releases, device: facts, refusedSets: refused)
                let place = content.releases.firstIndex { $0.id == decision.release?.id }
                return (package, place ?? content.releases.count)
            })
    }

    @Test func `whatever is not understood, no device gets a newer release, and nobody the one that says it`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var dice = SeededGenerator(seed: seed)
        var counts: [Change: Int] = [:]
        for _ in 0..<Self.files {
            let json = try JSONValue(parsing: Array(RandomChannel(using: &dice).text.utf8)).object("channel")
            let file = try ChannelFile(parsing: JSONValue.object(json).canonicalBytes)
            let devices = try (0..<6).map { _ in try Self.facts(RandomDevice(using: &dice)) }
            for change in Change.allCases {
                guard let (newer, package, release) = try Self.changed(json, change, using: &dice) else { continue }
                let bytes = JSONValue.object(newer).canonicalBytes
                // A file that is refused changes nothing on a device.
                guard let read = try? ChannelFile(parsing: bytes) else {
                    counts[change, default: 0] += 1
                    continue
                }
                #expect(change != .format, "seed \(seed): a newer format is read")
                // Nor is the unknown lost when a program of today writes the file again.
                let again = try ChannelFile(parsing: read.inFormat1.bytes)
                for facts in devices {
                    counts[change, default: 0] += 1
                    let (before, after) = (Self.places(file, facts), Self.places(read, facts))
                    for (name, place) in after {
                        #expect(
                            place >= before[name] ?? 0,
                            "seed \(seed), \(change): \(String(decoding: bytes, as: UTF8.self)) for \(facts)")
                    }
                    guard let package, let release else {
                        #expect(before == after, "seed \(seed), \(change)")
                        continue
                    }
                    let id = try PackageID(package)
                    let content = read.packages[id]?.releases ?? []
                    if change.excludesAll {
                        let place = after[id] ?? 0
                        #expect(place == content.count || content[place].id != release, "seed \(seed), \(change)")
                        #expect(again.packages[id]?.releases.contains { $0.id == release } == false, "\(change)")
                    }
                }
            }
        }
        for change in Change.allCases { #expect(counts[change] ?? 0 > 50, "\(change) was hardly tried: \(counts)") }
    }
}
