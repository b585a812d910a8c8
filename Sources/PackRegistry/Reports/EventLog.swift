package import PackFormat
import PackJSON

/// The events of one sender as one value of the database. As rows of their own they would take eight times the bytes, and an index
/// entry each.
///
/// Format 1 is the byte 1, and then each event, in rising order of its sequence:
///
///     sequence   less that of the event before it
///     length     bytes of what follows of this event
///     time       steps of 900 s less those of the event before it; the lowest bit is the sign
///     subject    the number of the row that says package, version and release
///     code       its number
///     members    one bit for each that follows
///     then phase, fault, wire bytes, zip bytes, the four counters of pages, and facts as JSON with its length before it
///
/// All numbers are LEB128. A number that is given to a code, a phase or a fault never changes. An event with one that this program
/// does not know is passed over, as its length allows.
package struct EventLog {
    /// The most sequences from the first to the last event of one value, so that a search for a sequence reads few of them.
    package static let span = 1024
    private static let format: UInt8 = 1

    package private(set) var bytes: [UInt8] = [format]
    package private(set) var count = 0
    private var sequence = 0
    private var step = 0
    /// The event that is being written, from its time on.
    private var event: [UInt8] = []

    /// - Parameters:
    ///   - event: its sequence is above that of the one before it.
    ///   - subject: the number of what it is about.
    package mutating func append(_ event: ReportEvent, subject: Int64) {
        let step = event.time / ReportEvent.timeStep
        let change = step - self.step
        self.event.removeAll(keepingCapacity: true)
        Self.add(abs(change) << 1 | (change < 0 ? 1 : 0), to: &self.event)
        Self.add(Int(subject), to: &self.event)
        Self.add(event.code.logNumber, to: &self.event)
        Self.add(Members(event).rawValue, to: &self.event)
        if let phase = event.phase { Self.add(phase.logNumber, to: &self.event) }
        if let fault = event.fault { Self.add(fault.logNumber, to: &self.event) }
        if let wire = event.wireByteCount { Self.add(wire, to: &self.event) }
        if let zip = event.zipByteCount { Self.add(zip, to: &self.event) }
        if let web = event.web {
            for number in [web.local, web.online, web.missed, web.byteCount] { Self.add(number, to: &self.event) }
        }
        if let facts = event.facts {
            let text = Array(JSONValue.object(facts.json).compactText.utf8)
            Self.add(text.count, to: &self.event)
            self.event += text
        }
        Self.add(event.sequence - sequence, to: &bytes)
        Self.add(self.event.count, to: &bytes)
        bytes += self.event
        sequence = event.sequence
        self.step = step
        count += 1
    }

    /// One number for the code, the phase and the fault of an event.
    package static func kind(of event: ReportEvent) -> Int {
        (event.fault?.logNumber ?? 0) << 16 | (event.phase?.logNumber ?? 0) << 8 | event.code.logNumber
    }

    private static func add(_ number: Int, to bytes: inout [UInt8]) {
        var rest = UInt(bitPattern: number)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    package init() {}

    // MARK: Batches

    /// The events of a batch, each sequence once, in rising order.
    package static func ordered(_ events: [ReportEvent]) -> [ReportEvent] {
        // A device counts up.
        guard zip(events, events.dropFirst()).contains(where: { $0.sequence >= $1.sequence }) else { return events }
        var seen = Set<Int>(minimumCapacity: events.count)
        return events.filter { seen.insert($0.sequence).inserted }.sorted { $0.sequence < $1.sequence }
    }

    /// Splits events in order so that no part spans more than ``span`` sequences.
    package static func runs(_ events: [ReportEvent]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in events.indices where events[index].sequence - events[start].sequence >= span {
            runs.append(start..<index)
            start = index
        }
        if start < events.count { runs.append(start..<events.count) }
        return runs
    }

    // MARK: Reading

    /// One event, and the number of what it is about.
    package struct Entry: Hashable {
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

    /// - Returns: the events that this program knows; nil if the bytes are damaged or of a newer format.
    package static func entries(in bytes: [UInt8]) -> [Entry]? {
        var (entries, step) = ([Entry](), 0)
        let isSound = read(bytes) { sequence, event in
            var event = event
            guard let change = event.number() else { return false }
            step += change & 1 == 0 ? change >> 1 : -(change >> 1)
            guard (0...ReportEvent.largestTime / ReportEvent.timeStep).contains(step) else { return false }
            if let entry = event.entry(sequence, at: step * ReportEvent.timeStep) { entries.append(entry) }
            return true
        }
        return isSound ? entries : nil
    }

    /// - Returns: the sequences of all events; nil if the bytes are damaged or of a newer format.
    package static func sequences(in bytes: [UInt8]) -> [Int]? {
        var sequences: [Int] = []
        let isSound = read(bytes) { sequence, _ in
            sequences.append(sequence)
            return true
        }
        return isSound ? sequences : nil
    }

    private static func read(_ bytes: [UInt8], _ body: (_ sequence: Int, _ event: Reader) -> Bool) -> Bool {
        guard bytes.first == format else { return false }
        var reader = Reader(rest: bytes[1...])
        var sequence = 0
        while !reader.rest.isEmpty {
            guard let more = reader.number(), more > 0, let length = reader.number(), length <= reader.rest.count,
                sequence + more <= ReportEvent.largestSequence
            else { return false }
            sequence += more
            guard body(sequence, Reader(rest: reader.rest.prefix(length))) else { return false }
            reader.rest = reader.rest.dropFirst(length)
        }
        return true
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

        init(rawValue: Int) { self.rawValue = rawValue }

        init(_ event: ReportEvent) {
            self = []
            if event.phase != nil { insert(.phase) }
            if event.fault != nil { insert(.fault) }
            if event.wireByteCount != nil { insert(.wire) }
            if event.zipByteCount != nil { insert(.zip) }
            if event.web != nil { insert(.web) }
            if event.facts != nil { insert(.facts) }
        }
    }

    private struct Reader {
        /// Sums of two are numbers too.
        private static let largest = 1 << 60

        var rest: ArraySlice<UInt8>

        /// What is left of an event behind its time; nil if this program does not know all of it.
        mutating func entry(_ sequence: Int, at time: Int) -> Entry? {
            guard let subject = number(), let code = number().flatMap({ ReportEvent.Code(logNumber: $0) }),
                let members = number().map(Members.init(rawValue:)), members.isSubset(of: .all)
            else { return nil }
            var entry = Entry(sequence: sequence, subject: subject, code: code, time: time)
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
            return rest.isEmpty ? entry : nil
        }

        mutating func number() -> Int? {
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
