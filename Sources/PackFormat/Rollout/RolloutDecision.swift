import Crypto
import Foundation

/// Which release of a package a device takes, and why: one pure function for the device and the registry.
///
///     let decision = RolloutDecision(app: "shop", package: id, releases: channel.releases(of: id), device: facts)
///     if let release = decision.release { … }
public struct RolloutDecision: Hashable, Sendable {
    /// Why one release was passed over or taken.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        case admitted(percent: Int)
        case outsidePercent(Int)
        case appTooOld(requires: VersionRange, has: SemanticVersion?)

        public var description: String {
            switch self {
            case .admitted(let percent): "the device is in the \(percent) % of the rollout"
            case .outsidePercent(let percent): "the device is not in the \(percent) % of the rollout"
            case .appTooOld(let range, let version?): "it requires app \(range) and this is \(version)"
            case .appTooOld(let range, nil): "it requires app \(range) and the app's version is not known"
            }
        }
    }

    public struct Step: Hashable, Sendable {
        public let release: Release
        public let reason: Reason
    }

    /// Every release that was looked at, in order; the last one is the one taken, if any was.
    public let steps: [Step]
    /// The release that the device takes; nil when none admits it.
    public let release: Release?

    /// Takes the first release, newest first, whose rollout admits the device.
    public init(app: String, package: PackageID, releases: [Release], device: DeviceFacts) {
        var steps: [Step] = []
        var taken: Release?
        for release in releases {
            let reason: Reason
            if let required = release.requiredApp, !(device.appVersion.map(required.contains) ?? false) {
                reason = .appTooOld(requires: required, has: device.appVersion)
            } else if release.rollout.admits(
                bucket: Self.bucket(app: app, package: package, release: release.id, device: device.deviceID))
            {
                reason = .admitted(percent: release.rollout.percent)
                taken = release
            } else {
                reason = .outsidePercent(release.rollout.percent)
            }
            steps.append(Step(release: release, reason: reason))
            if taken != nil { break }
        }
        self.steps = steps
        self.release = taken
    }

    /// The first 8 bytes of SHA-256(`app/package/release/device`), big-endian: fixed for a device and a release.
    static func bucket(app: String, package: PackageID, release: String, device: String) -> UInt64 {
        let hash = SHA256.hash(data: Data("\(app)/\(package)/\(release)/\(device)".utf8))
        return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
