import Foundation
import PackFormat

/// Writes the log's lines with the time that the updater's clock gives.
struct Journal: Sendable {
    let log: EventLog
    let now: @Sendable () -> Date

    func note(_ kind: Event.Kind, _ package: PackageID?, _ version: SemanticVersion?, _ why: String) {
        log.append(Event(time: now(), kind: kind, package: package, version: version, why: why))
    }
}
