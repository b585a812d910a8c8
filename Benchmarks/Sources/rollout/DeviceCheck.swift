import PackFormat

@testable import PackUpdater

/// What a device that has no version yet takes from a channel, by the code of its update.
struct DeviceCheck {
    private let file: ChannelFile
    private let facts: DeviceFacts
    private let sets: SetCheck

    init(_ file: ChannelFile, _ sets: ReleaseSets, _ facts: DeviceFacts) async throws {
        self.file = file
        self.facts = facts
        self.sets = try await SetCheck.make(
            sets, of: file, state: StoreState(deviceID: facts.deviceID), facts: facts, targets: { _ in nil })
    }

    /// The id of the release; nil if none admits the device.
    func release(of package: PackageID) async throws -> String? {
        guard let content = file.packages[package] else { throw Fault("the channel has no \(package)") }
        let decision = try await PackageDecision.make(
            package, app: file.app, channel: content, state: PackageState(), facts: facts, sets: sets,
            time: LocalTime(.mon, minute: 600), targets: nil, isThere: { _ in false })
        switch decision.choice {
        case .install(_, let mark), .embedded(let mark, _): return mark.id
        case .nothing: return nil
        case .upToDate, .disabled, .undecided: throw Fault("\(package): \(decision.choice)")
        }
    }
}
