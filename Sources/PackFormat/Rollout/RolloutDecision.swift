import Crypto

/// Decides which release of a package a device gets, and why. Device and registry share this pure function.
///
///     let decision = RolloutDecision(app: "shop", package: id, releases: channel.releases(of: id), device: facts)
///     if let release = decision.release { … }
public struct RolloutDecision: Hashable, Sendable {
    /// Why one release was passed over or selected.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        case admitted(Share)
        case outsideShare(Share)
        /// The first condition that failed in each audience.
        case outsideAudience([String])
        case appTooOld(requires: VersionRange, has: AppVersion?)
        /// The release has a field that this program does not know.
        case notUnderstood(String)
        /// The device cannot install another package of the release's set; says why.
        case setNotTaken(String)

        public var description: String {
            switch self {
            case .admitted(let share): "the device is in the \(share) of the rollout"
            case .outsideShare(let share): "the device is not in the \(share) of the rollout"
            case .outsideAudience(let refusals): refusals.joined(separator: ", and ")
            case .appTooOld(let range, let version?): "it requires app \(range) and this is \(version)"
            case .appTooOld(let range, nil): "it requires app \(range) and the app's version is not known"
            case .notUnderstood(let what): "it says \"\(what)\", which this program does not know"
            case .setNotTaken(let why): "its set is skipped: \(why)"
            }
        }

        public var isAdmitted: Bool { if case .admitted = self { true } else { false } }
    }

    public struct Step: Hashable, Sendable {
        public let release: Release
        public let reason: Reason
    }

    /// Every release that was examined, in order. If a release was selected, it is the last one.
    public let steps: [Step]
    /// The selected release; nil if none admits the device.
    public let release: Release?

    /// Selects the first release, newest first, whose rollout admits the device.
    /// - Parameter refusedSets: The sets of the channel that the device cannot install as a whole, and why
    ///   (``ReleaseSets/refusals(app:_:)``). Their releases are skipped.
    public init(
        app: String, package: PackageID, releases: [Release], device: DeviceFacts, refusedSets: [String: String] = [:]
    ) {
        var steps: [Step] = []
        var taken: Release?
        for release in releases {
            var reason = Self.reason(release, of: package, app: app, device)
            if reason.isAdmitted, let why = release.set.flatMap({ refusedSets[$0] }) { reason = .setNotTaken(why) }
            if reason.isAdmitted { taken = release }
            steps.append(Step(release: release, reason: reason))
            if taken != nil { break }
        }
        self.steps = steps
        self.release = taken
    }

    /// What one release says by itself, regardless of its set.
    static func reason(_ release: Release, of package: PackageID, app: String, _ device: DeviceFacts) -> Reason {
        if let unknown = release.unknownFields.first { return .notUnderstood(unknown) }
        if let required = release.requiredApp, !(device.appVersion.map { required.contains($0) } ?? false) {
            return .appTooOld(requires: required, has: device.appVersion)
        }
        return release.rollout.admission(
            of: device,
            bucket: bucket(app: app, package: package, release: release.id, set: release.set, device: device.deviceID))
    }

    /// The first 8 bytes of SHA-256(`app/package/release/device`), big-endian. The bucket never changes for a device
    /// and a release. For a release of a set: SHA-256(`app//set/device`), so that a device gets all packages of the set
    /// or none. No package id is empty, so the two inputs never collide. Which buckets are in a share is ``Share/contains(bucket:)``.
    static func bucket(
        app: String, package: PackageID, release: String, set: String? = nil, device: String
    ) -> UInt64 {
        // Every check of a device asks for it, for each release: appended, because interpolation takes as long as the hash.
        var text = app
        text += "/"
        if set == nil { text += package.text }
        text += "/"
        text += set ?? release
        text += "/"
        text += device
        var hash = SHA256()
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return hash.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
}
