/// One thing that happened on a device, as it is reported: codes from closed lists, names of versions, and numbers. It has
/// no URL, no text of a page, and no message.
package struct ReportEvent: Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// A check found a version for this device that it does not have.
        case offered
        /// All bytes of the version are here.
        case downloaded
        /// Its files are verified and in the store.
        case installed
        /// It is the version that pages get from now on.
        case activated
        /// A page or the app said that it works.
        case confirmed
        /// It could not be installed, or was left.
        case failed
        /// The device went back from it to an earlier version.
        case rolledBack
        /// The channel's feature gate is off for the package.
        case gateOff
        /// Damaged files of it were replaced.
        case repaired
        /// How the pages of one run of the app were served.
        case session
        /// The device has this version, and says what it is: ``ReportEvent/facts``. It is sent if the app lets it, for a new
        /// report id, when the version or a fact changed, and once a week.
        case present
    }

    /// What the device was doing when something failed.
    package enum Phase: String, Hashable, Sendable, CaseIterable {
        case check, download, install, start
    }

    /// Why something failed.
    package enum Fault: String, Hashable, Sendable, CaseIterable {
        case unreachable, badAnswer, notFound, notTrusted, damaged, diskFull, fileFailed, refused
        /// It used up its starts and was not confirmed.
        case neverConfirmed
        /// It was not confirmed in time.
        case late
        /// Somebody asked to go back.
        case asked
        case other
    }

    /// Seconds. Times are rounded down to it.
    package static let timeStep = 900

    /// Counts up from 1 for each report id.
    package let sequence: Int
    package let code: Code
    /// Seconds since 1970, a multiple of ``timeStep``.
    package let time: Int
    package let package: PackageID
    package var version: SemanticVersion?
    /// The id of the release that brought the version; nil for presets and imports.
    package var release: String?
    package var phase: Phase?
    package var fault: Fault?
    /// The bytes that were transferred for the version.
    package var wireByteCount: Int?
    /// The bytes that a zip of the version would have been.
    package var zipByteCount: Int?
    /// Of a ``Code/session``.
    package var web: WebCounters?
    /// Of a ``Code/present``.
    package var facts: ReportFacts?

    package init(
        sequence: Int, code: Code, time: Int, package: PackageID, version: SemanticVersion? = nil,
        release: String? = nil
    ) {
        self.sequence = sequence
        self.code = code
        self.time = time - time % Self.timeStep
        self.package = package
        self.version = version
        self.release = release
    }
}
