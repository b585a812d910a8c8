import PackFormat

/// What a device knows about one package. A value without I/O: the rules of moving from version to version are in
/// its transitions, and the store only writes down what they say.
///
///     absent ──▶ staged ──▶ active, unconfirmed ──▶ confirmed
///                                │ too many starts, or asked to
///                                ▼
///     the last confirmed version, else the embedded one, else the one that ran before it, else none
///
/// Invariant: once a version was confirmed, ``lastWorking`` is never nil again.
package struct PackageState: Hashable, Sendable {
    /// The release by which a version came; a failure holds until a newer release or a higher retry count.
    package struct ReleaseMark: Hashable, Sendable {
        package let id: String
        package let retry: Int

        package init(id: String, retry: Int) {
            self.id = id
            self.retry = retry
        }
    }

    /// A version whose files are in the store.
    package struct Installed: Hashable, Sendable {
        package let id: VersionID
        /// nil for presets and imported packages.
        package let release: ReleaseMark?
        /// A shared bundle has no pages and so nobody who could confirm it.
        package let hasPages: Bool

        package init(id: VersionID, release: ReleaseMark?, hasPages: Bool = true) {
            self.id = id
            self.release = release
            self.hasPages = hasPages
        }
    }

    package struct Active: Hashable, Sendable {
        package let installed: Installed
        package var isConfirmed: Bool
        /// Starts since it became active, counted until it is confirmed.
        package var starts = 0
        /// The tokens of those starts, the newest last: only these loads can confirm it.
        package var loads: [String] = []
        /// When the first of those starts was, in milliseconds since 1970.
        package var unconfirmedSince: Int?

        package var id: VersionID { installed.id }
    }

    package enum Staged: Hashable, Sendable {
        case version(Installed)
        /// The way back to what the app embeds, where it embeds nothing.
        case nothing(ReleaseMark)
    }

    package struct Failure: Hashable, Sendable {
        package let id: VersionID
        package let release: ReleaseMark?
        package let reason: String
    }

    /// The number of load tokens and failures that are kept.
    static let loadLimit = 8
    static let failureLimit = 64

    package var active: Active?
    /// The version that was confirmed before the active one.
    package var previous: Installed?
    /// The version that ran before the active one, while none was ever confirmed: better than nothing to go back to.
    package var unproven: Installed?
    package var staged: Staged?
    /// The preset that the app brought.
    package var embedded: Installed?
    /// Newest first.
    package var failures: [Failure] = []
    /// Somebody opened it, so an update on demand fetches it.
    package var isWanted = false
    /// The channel's feature gate: false makes the app load the pages online.
    package var isEnabled = true
    /// What the last check decided, in words.
    package var decision = ""
    /// What the last check found for this device: the version that installs itself when it is opened and none is here.
    package var offered: VersionID?

    package init() {}

    /// The version to which the device could always go back.
    package var lastWorking: Installed? {
        if let active, active.isConfirmed { return active.installed }
        return previous
    }

    /// Nothing is known but that somebody opened it.
    var isOnlyWanted: Bool {
        var wanted = PackageState()
        wanted.isWanted = true
        return self == wanted
    }

    /// Everything that must stay in the store.
    package var kept: [Installed] {
        var kept = [active?.installed, previous, unproven, embedded].compactMap { $0 }
        if case .version(let installed) = staged { kept.append(installed) }
        return kept
    }
}
