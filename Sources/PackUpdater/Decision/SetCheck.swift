import PackFormat

/// Which sets of a channel a device can install as a whole.
struct SetCheck: Sendable {
    /// Sets that it cannot install, and why: a package of the set does not admit the device, failed on it, or is no longer
    /// listed by its publisher.
    let refused: [String: String]
    /// Sets of which something cannot be found out now, and what. They change nothing that runs.
    let undecided: [String: String]

    /// - Parameter targets: the signed targets for a package that may be installed; nil leaves out what its publisher says.
    /// - Throws: ``UpdateError/unreachable(address:reason:)``
    static func make(
        _ sets: ReleaseSets, of channel: ChannelFile, state: StoreState, facts: DeviceFacts,
        targets: @Sendable (PackageID) -> (any SignedTargets)?
    ) async throws -> SetCheck {
        var refused = sets.refusals(app: channel.app, facts)
        var undecided: [String: String] = [:]
        for set in sets.ids.sorted() where refused[set] == nil {
            for (package, release) in sets.members(of: set).sorted(by: { $0.key < $1.key }) {
                do {
                    let reason = try await PackageDecision.reasonToRefuse(
                        release, package, in: channel.packages[package]?.releases ?? [], state[package],
                        targets(package))
                    guard let reason else { continue }
                    refused[set] = "\(package): \(reason)"
                } catch let error as UpdateError {
                    if case .unreachable = error { throw error }
                    undecided[set] = "\(package), of the same set, cannot be checked: \(error)"
                }
                break
            }
        }
        return SetCheck(refused: refused, undecided: undecided)
    }
}

extension Release {
    /// The version that it offers; nil for the embedded one.
    var versionID: VersionID? {
        guard case .version(let version, let manifest) = offer else { return nil }
        return VersionID(version: version, manifest: manifest)
    }
}
