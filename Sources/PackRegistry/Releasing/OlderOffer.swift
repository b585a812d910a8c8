package import PackFormat

/// An offer of a version below one that the channel already offers: devices would go back to it.
///
/// A hot fix of an older line, or a CI job of an older commit, must not do that silently. Versions for other apps are
/// separate: 1.9.1 for apps below 5 takes nobody back from 2.0.0 for apps from 5 on.
package struct OlderOffer {
    /// The highest version that devices would leave.
    package let newer: SemanticVersion

    /// - Parameter releases: The releases that the channel offers for the package, newest first.
    /// - Returns: nil if no device would go back, or the newest release offers the version already.
    package init?(of version: SemanticVersion, requiredApp: VersionRange?, among releases: [Release]) {
        guard releases.first?.version != version else { return nil }
        let newer = releases.filter { release in
            guard !release.rollout.reachesNobody else { return false }
            guard let theirs = release.requiredApp, let requiredApp else { return true }
            return theirs.overlaps(requiredApp)
        }.compactMap(\.version).max()
        guard let newer, version < newer else { return nil }
        self.newer = newer
    }
}
