import Foundation
import PackFormat
import TestSupport
import Testing

@testable import PackUpdater

/// A device decides by itself, and a server decides for clients without the updater: about each device they must agree.
struct DeviceAgreementTests {
    /// More with PACKTOOL_LONG=1.
    private static let files = ProcessInfo.processInfo.environment["PACKTOOL_LONG"] == nil ? 250 : 10_000

    private static func facts(_ device: RandomDevice) throws -> DeviceFacts {
        try DeviceFacts(
            deviceID: device.id, appVersion: device.app.map { try AppVersion($0) }, platform: device.platform,
            tags: device.tags, osVersion: device.system.map { try AppVersion($0) }, locale: device.locale,
            region: device.region, model: device.model,
            network: device.isUnmetered.map { $0 ? .unmetered : .metered }, groups: device.groups)
    }

    /// The id of the release that a device takes that has only what its app embeds, by the code of its update.
    private static func taken(
        _ package: PackageID, _ content: ChannelFile.Package, of file: ChannelFile, _ facts: DeviceFacts
    ) async throws -> String? {
        let sets = try await SetCheck.make(
            ReleaseSets(of: file), of: file, state: StoreState(deviceID: facts.deviceID), facts: facts,
            targets: { _ in nil })
        // Without an embedded version, one that runs nothing is up to date with the way back to it.
        var state = PackageState()
        state.embedded = PackageState.Installed(
            id: VersionID(version: try SemanticVersion("0.9.0"), manifest: Digest(of: Data("embedded".utf8))),
            release: nil)
        let decision = try await PackageDecision.make(
            package, app: file.app, channel: content, state: state, facts: facts, sets: sets,
            time: LocalTime(.mon, minute: 600), targets: nil, isThere: { _ in false })
        switch decision.choice {
        case .install(_, let mark), .embedded(let mark, _): return mark.id
        case .nothing: return nil
        case .upToDate, .disabled, .undecided:
            Issue.record("\(decision.choice)")
            return nil
        }
    }

    @Test func `on random channels, random devices get from the server what they take by themselves`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var dice = SeededGenerator(seed: seed)
        var (count, admitted) = (0, 0)
        for _ in 0..<Self.files {
            let channel = RandomChannel(using: &dice)
            let file = try ChannelFile(parsing: Array(channel.text.utf8))
            let offers = ChannelOffers(file)
            for _ in 0..<16 {
                let facts = try Self.facts(RandomDevice(using: &dice))
                for (package, content) in file.packages where content.isEnabled {
                    let own = try await Self.taken(package, content, of: file, facts)
                    let served = offers.decision(for: facts, package).release?.id
                    #expect(own == served, "seed \(seed): \(package) of \(channel.text) for \(facts)")
                    count += 1
                    if own != nil { admitted += 1 }
                }
            }
        }
        // Neither is trivial.
        #expect(
            count > Self.files * 16 && admitted > count / 5 && admitted < count * 19 / 20, "\(admitted) of \(count)")
    }
}
