import Foundation
package import PackFormat
package import PackRegistryAPI

/// Keeps devices from versions that cannot read the data that they may have stored (``Manifest/State``).
///
/// Pure. What is not known counts as "cannot read", except where no version of the package ever said anything.
package struct StateGuard {
    /// What devices of a channel may have stored, by the releases that it ever offered.
    struct Written: Hashable {
        /// The forms, each with a version that writes it.
        var known: [Int: SemanticVersion] = [:]
        /// A version that does not say what it writes, while others do.
        var unknown: SemanticVersion?

        init(_ history: ReleaseHistory) {
            for entry in history.entries where entry.hasReachedDevices {
                let (release, state) = (entry.release, entry.state)
                if release.rollout.reachesEveryone {
                    // Whoever gave it to everybody accepted what it cannot read. Asked once is enough.
                    known = known.filter { state?.reads.contains($0.key) ?? false }
                    unknown = nil
                }
                guard let version = release.version else { continue }
                if let state { known[state.version] = version } else { unknown = version }
            }
        }
    }

    private let package: PackageID
    private let channel: ChannelName

    package init(package: PackageID, channel: ChannelName) {
        self.package = package
        self.channel = channel
    }

    /// - Parameter state: what a version says of its data.
    package func check(
        _ before: ReleaseHistory, _ steps: [ReleaseHistory.Step], state: (Release.Offer) -> Manifest.State?
    ) throws(RegistryError) {
        let written = Written(before)
        let after = before.applying(steps, by: "", now: .distantFuture)
        for release in after.offered where Self.gains(release.offer, before.offered, after.offered) {
            if let reason = reason(against: release, state(release.offer), written) {
                throw RegistryError(
                    .conflict,
                    "\(reason). Offer a version that can read it, or give --despite-state if that is meant")
            }
        }
    }

    /// Whether devices of another release may go to an offer: it is new, or something before it is for fewer devices now.
    private static func gains(_ offer: Release.Offer, _ before: [Release], _ after: [Release]) -> Bool {
        guard let place = before.firstIndex(where: { $0.offer == offer }) else { return true }
        return before[..<place].contains { old in
            guard let new = after.first(where: { $0.offer == old.offer })?.rollout else { return true }
            return new.share < old.rollout.share
                || (new.audiences != old.rollout.audiences && !new.audiences.isEmpty)
        }
    }

    /// Why devices should not go to a release; nil if they may.
    private func reason(
        against release: Release, _ state: Manifest.State?, _ written: Written
    ) -> String? {
        let name = release.version.map { "\(package) \($0)" } ?? "what the app embeds of \(package)"
        let unread = written.known.filter { !(state?.reads.contains($0.key) ?? false) }.sorted { $0.key < $1.key }
        guard unread.isEmpty else {
            let forms = unread.map { "state \($0.key), which \(package) \($0.value) writes" }.joined(
                separator: ", and ")
            let reads =
                state.map { "\(name) reads stored data of state \($0.readsText) only" }
                ?? "\(name) does not say which stored data it reads (\"state\" in packtool.json)"
            return "\(reads), and devices of \(channel) may have data of \(forms)"
        }
        // A version that comes later is made by who knows the earlier ones.
        guard state != nil, let unknown = written.unknown, let version = release.version, version < unknown else {
            return nil
        }
        return
            "\(package) \(unknown), which devices of \(channel) may run, does not say which data it stores (\"state\" in "
            + "packtool.json), so it is not known whether \(version) can read it"
    }
}
