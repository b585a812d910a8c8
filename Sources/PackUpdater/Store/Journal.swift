import PackFormat

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes lines to the log with the time of the updater's clock.
struct Journal: Sendable {
    let log: EventLog
    let now: @Sendable () -> Date

    func note(_ kind: Event.Kind, _ package: PackageID?, _ version: SemanticVersion?, _ why: String) {
        log.append(Event(time: now(), kind: kind, package: package, version: version, why: why))
    }
}
