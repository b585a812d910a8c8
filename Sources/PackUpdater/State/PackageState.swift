package import PackFormat

/// Everything that a device knows about one package. It is a value without I/O: its transitions have the rules for
/// moving from version to version, and the store only records their results.
///
///     absent ──▶ staged ──▶ active, unconfirmed ──▶ confirmed
///                                │ too many starts, or asked to
///                                ▼
///     the last confirmed version, else the embedded one, else the one that ran before it, else none
///
/// Invariant: once a version was confirmed, ``lastWorking`` is never nil again.
package struct PackageState: Hashable, Sendable {
    /// The release that brought a version. A failure counts until a newer release or a higher retry count.
    package struct ReleaseMark: Hashable, Sendable {
        /// Of a version that came with the app.
        static let presetID = "preset"

        package let id: String
        package let retry: Int
        /// The set with which the version came: all of its packages switch in one step, and go back together.
        package let set: String?

        package init(id: String, retry: Int, set: String? = nil) {
            self.id = id
            self.retry = retry
            self.set = set
        }
    }

    /// A version whose files are in the store.
    package struct Installed: Hashable, Sendable {
        package let id: VersionID
        /// Nil for presets and imported packages.
        package let release: ReleaseMark?
        /// False for a shared bundle: it has no pages, so nobody could confirm it.
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
        /// The starts since it became active, counted until it is confirmed.
        package var starts = 0
        /// The tokens of those starts, the newest last. Only these loads can confirm the version.
        package var loads: [String] = []
        /// The time of the first of those starts, in milliseconds since 1970.
        package var unconfirmedSince: Int?

        package var id: VersionID { installed.id }
    }

    package enum Staged: Hashable, Sendable {
        case version(Installed)
        /// The way back to the embedded version if the app embeds none.
        case nothing(ReleaseMark)

        /// The release that it came with; nil for presets and imported packages.
        package var release: ReleaseMark? {
            switch self {
            case .version(let installed): installed.release
            case .nothing(let mark): mark
            }
        }
    }

    /// What was active when a set was switched in: what the package goes back to with its set.
    package struct BeforeSet: Hashable, Sendable {
        package let set: String
        package let installed: Installed
        package let isConfirmed: Bool
    }

    package struct Failure: Hashable, Sendable {
        package let id: VersionID
        package let release: ReleaseMark?
        package let reason: String
    }

    /// The number of load tokens and failures that are kept.
    static let loadLimit = 8
    static let failureLimit = 64
    /// The number of sets below the active one that a package can go back through.
    static let beforeSetLimit = 3

    package var active: Active?
    /// The version that was confirmed before the active one.
    package var previous: Installed?
    /// The version that ran before the active one, kept while none was ever confirmed: it is better than nothing to
    /// go back to.
    package var unproven: Installed?
    package var staged: Staged?
    /// Newest first. Usually one; more while a set was switched in before all packages of the one below it were confirmed.
    package var beforeSets: [BeforeSet] = []
    /// The preset that the app brought.
    package var embedded: Installed?
    /// The versions that failed, newest first.
    package var failures: [Failure] = []
    /// Whether somebody opened the package, so that an update on demand fetches it.
    package var isWanted = false
    /// The channel's feature gate. If it is false, the app loads the pages online.
    package var isEnabled = true
    /// The set that must be whole before pages of the package are shown: its gate was off while the others took the set, and
    /// is on again. ``isEnabled`` is false until then.
    package var awaitedSet: String?
    /// The decision of the last check, in words.
    package var decision = ""
    /// What the offered release makes this device wait for, as of the last check.
    package var delay: String?
    /// The version that the last check found for this device. It installs itself when the package is opened and no
    /// version is here.
    package var offered: VersionID?

    package init() {}

    /// The version that the device can always go back to.
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

    /// Whether something of it is on the device, or somebody asked for it.
    var isHere: Bool { active != nil || staged != nil || isWanted }

    /// All versions that must stay in the store.
    package var kept: [Installed] {
        var kept = [active?.installed, previous, unproven, embedded].compactMap { $0 }
        if case .version(let installed) = staged { kept.append(installed) }
        kept += beforeSets.map(\.installed)
        return kept
    }
}
