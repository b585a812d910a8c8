/// What clients asked a registry for and what they read, with the moments between which it may have happened, to be compared with the
/// order that the registry's own log gives.
///
/// Each change of an object has a value of its own. So the check is exact: a log is a witness that all of it could have been done one
/// after the other (linearizability, Herlihy and Wing 1990), or a fault is named.
struct ChangeHistory: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// One value of one object, such as a share of a release.
    struct Value: Hashable, Sendable, CustomStringConvertible {
        let object: String
        let text: String

        var description: String { "\(object): \(text)" }
    }

    private struct Change {
        let begun: Instant
        /// nil: whoever asked for it does not know whether it was done.
        var acknowledged: Instant?
    }

    private struct Reading {
        let value: Value
        let begun: Instant
        let ended: Instant
    }

    private var changes: [Value: Change] = [:]
    private var readings: [Reading] = []

    var acknowledgedCount: Int { changes.values.count { $0.acknowledged != nil } }
    var readingCount: Int { readings.count }

    /// Somebody begins a change. Asking again for the same value is the same change.
    mutating func begin(_ value: Value, at instant: Instant = .now) {
        if changes[value] == nil { changes[value] = Change(begun: instant) }
    }

    mutating func acknowledge(_ value: Value, at instant: Instant = .now) {
        if changes[value]?.acknowledged == nil { changes[value]?.acknowledged = instant }
    }

    mutating func read(_ value: Value, from begun: Instant, to ended: Instant = .now) {
        readings.append(Reading(value: value, begun: begun, ended: ended))
    }

    /// - Parameter log: the values in the order in which the registry recorded them, the oldest first. The first of an object may have
    ///   been there before.
    /// - Returns: what no order explains.
    func faults(log: [Value]) -> [String] {
        var faults: [String] = []
        var place: [Value: Int] = [:]
        for (index, value) in log.enumerated() {
            if place.updateValue(index, forKey: value) != nil { faults.append("\(value) is recorded twice") }
        }
        for (value, change) in changes where change.acknowledged != nil && place[value] == nil {
            faults.append("\(value) was acknowledged and is lost")
        }
        var first: Set<String> = []
        for value in log where !first.insert(value.object).inserted && changes[value] == nil {
            faults.append("\(value) is recorded, and nobody asked for it")
        }
        // The latest beginning of all before: a change that was over earlier came too late into the log.
        var latest: (value: Value, begun: Instant)?
        for value in log {
            guard let change = changes[value] else { continue }
            if let latest, let acknowledged = change.acknowledged, acknowledged < latest.begun {
                faults.append(
                    "\(value) was acknowledged before \(latest.value) was asked for, and is recorded after it")
            }
            if change.begun > latest?.begun ?? change.begun - .seconds(1) { latest = (value, change.begun) }
        }
        return faults + readingFaults(log, place)
    }

    private func readingFaults(_ log: [Value], _ place: [Value: Int]) -> [String] {
        var faults: [String] = []
        for reading in readings {
            guard let index = place[reading.value] else {
                faults.append("\(reading.value) was read and is not recorded")
                continue
            }
            if let change = changes[reading.value], change.begun > reading.ended {
                faults.append("\(reading.value) was read before anybody asked for it")
            }
            let newer = log[(index + 1)...].first { value in
                value.object == reading.value.object
                    && changes[value]?.acknowledged.map { $0 < reading.begun } ?? false
            }
            if let newer { faults.append("\(reading.value) was read after \(newer.text) was acknowledged") }
            let later = readings.first {
                $0.value.object == reading.value.object && $0.ended < reading.begun && place[$0.value] ?? 0 > index
            }
            if let later { faults.append("\(reading.value) was read after \(later.value.text) was read") }
        }
        return faults
    }
}
