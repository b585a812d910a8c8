package import PackFormat
import PackJSON

/// The events of one sender as one value of a database: as rows of their own they would take eight times the bytes, and an index entry
/// each.
///
/// Format 1 is the byte 1, and then of each event, in rising order of its sequence:
///
///     sequence   less that of the event before it
///     code       its number
///     members    one bit for each that follows
///     subject    the number of the row that says package, version and release
///     time       steps of 900 s less those of the event before it; the lowest bit is the sign
///     then phase, fault, wire bytes, zip bytes, the four counters of pages, and facts as JSON with its length before it
///
/// All numbers are LEB128. A database keeps them: a number once given to a code, a phase or a fault stays.
package struct EventLog: Sendable {
    private static let format: UInt8 = 1

    package private(set) var bytes: [UInt8] = [format]
    package private(set) var count = 0
    private var sequence = 0
    private var step = 0

    package init() {}

    /// - Parameters:
    ///   - event: its sequence is above that of the one before it.
    ///   - subject: the number of what it is about, at least 0.
    package mutating func append(_ event: ReportEvent, subject: Int) {
        count += 1
        add(event.sequence - sequence)
        sequence = event.sequence
        add(event.code.logNumber)
        var members = Members()
        if event.phase != nil { members.insert(.phase) }
        if event.fault != nil { members.insert(.fault) }
        if event.wireByteCount != nil { members.insert(.wire) }
        if event.zipByteCount != nil { members.insert(.zip) }
        if event.web != nil { members.insert(.web) }
        if event.facts != nil { members.insert(.facts) }
        add(members.rawValue)
        add(subject)
        let step = event.time / ReportEvent.timeStep
        add(abs(step - self.step) << 1 | (step < self.step ? 1 : 0))
        self.step = step
        if let phase = event.phase { add(phase.logNumber) }
        if let fault = event.fault { add(fault.logNumber) }
        if let wire = event.wireByteCount { add(wire) }
        if let zip = event.zipByteCount { add(zip) }
        if let web = event.web { for number in [web.local, web.online, web.missed, web.byteCount] { add(number) } }
        if let facts = event.facts {
            let text = Array(JSONValue.object(facts.json).compactText.utf8)
            add(text.count)
            bytes += text
        }
    }

    /// One number for the code, the phase and the fault of an event.
    package static func kind(of event: ReportEvent) -> Int {
        (event.fault?.logNumber ?? 0) << 16 | (event.phase?.logNumber ?? 0) << 8 | event.code.logNumber
    }

    private mutating func add(_ number: Int) {
        var rest = UInt(bitPattern: number)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    // MARK: Reading

    /// One event, and the number of what it is about.
    package struct Entry: Hashable, Sendable {
        package let sequence: Int
        package let subject: Int
        fileprivate let code: ReportEvent.Code
        fileprivate let time: Int
        fileprivate var phase: ReportEvent.Phase?
        fileprivate var fault: ReportEvent.Fault?
        fileprivate var wire: Int?
        fileprivate var zip: Int?
        fileprivate var web: WebCounters?
        fileprivate var facts: ReportFacts?

        package func event(package: PackageID, version: SemanticVersion?, release: String?) -> ReportEvent {
            var event = ReportEvent(
                sequence: sequence, code: code, time: time, package: package, version: version, release: release)
            event.phase = phase
            event.fault = fault
            event.wireByteCount = wire
            event.zipByteCount = zip
            event.web = web
            event.facts = facts
            return event
        }
    }

    /// - Returns: the events in rising order of their sequence; nil if the bytes are damaged or of a newer format.
    package static func entries(in bytes: [UInt8]) -> [Entry]? {
        guard bytes.first == format else { return nil }
        var reader = Reader(rest: bytes[1...])
        var entries: [Entry] = []
        while !reader.rest.isEmpty {
            guard let entry = reader.entry() else { return nil }
            entries.append(entry)
        }
        return entries
    }

    private struct Members: OptionSet {
        let rawValue: Int

        static let phase = Members(rawValue: 1)
        static let fault = Members(rawValue: 2)
        static let wire = Members(rawValue: 4)
        static let zip = Members(rawValue: 8)
        static let web = Members(rawValue: 16)
        static let facts = Members(rawValue: 32)
        static let all: Members = [.phase, .fault, .wire, .zip, .web, .facts]
    }

    private struct Reader {
        /// Sums of two are numbers too.
        private static let largest = 1 << 60
        private static let largestStep = 1 << 50

        var rest: ArraySlice<UInt8>
        private var sequence = 0
        private var step = 0

        init(rest: ArraySlice<UInt8>) { self.rest = rest }

        mutating func entry() -> Entry? {
            guard let more = number(), more > 0, sequence + more <= Self.largest,
                let code = number().flatMap({ ReportEvent.Code(logNumber: $0) }),
                let members = number().map(Members.init(rawValue:)), members.isSubset(of: .all),
                let subject = number(), let change = number()
            else { return nil }
            sequence += more
            step += change & 1 == 0 ? change >> 1 : -(change >> 1)
            guard abs(step) <= Self.largestStep else { return nil }
            var entry = Entry(
                sequence: sequence, subject: subject, code: code, time: step * ReportEvent.timeStep)
            if members.contains(.phase) {
                entry.phase = number().flatMap { ReportEvent.Phase(logNumber: $0) }
                guard entry.phase != nil else { return nil }
            }
            if members.contains(.fault) {
                entry.fault = number().flatMap { ReportEvent.Fault(logNumber: $0) }
                guard entry.fault != nil else { return nil }
            }
            if members.contains(.wire) {
                entry.wire = number()
                guard entry.wire != nil else { return nil }
            }
            if members.contains(.zip) {
                entry.zip = number()
                guard entry.zip != nil else { return nil }
            }
            if members.contains(.web) {
                guard let local = number(), let online = number(), let missed = number(), let byteCount = number()
                else { return nil }
                entry.web = WebCounters(local: local, online: online, missed: missed, byteCount: byteCount)
            }
            if members.contains(.facts) {
                guard let count = number(), count <= rest.count,
                    let json = try? JSONValue(parsing: Array(rest.prefix(count))).object("facts"),
                    let facts = try? ReportFacts(json: json)
                else { return nil }
                rest = rest.dropFirst(count)
                entry.facts = facts
            }
            return entry
        }

        private mutating func number() -> Int? {
            var value = 0
            for shift in stride(from: 0, through: 56, by: 7) {
                guard let byte = rest.popFirst() else { return nil }
                value |= Int(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value <= Self.largest ? value : nil }
            }
            return nil
        }
    }
}
