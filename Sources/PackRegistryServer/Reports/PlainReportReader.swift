import PackFormat

/// Reads a report in the form in which devices write it, in one pass and without a tree of values: 20,000 events a second must leave the
/// machine to others.
///
///     let batch = try PlainReportReader.read(bytes) ?? ReportBatch(parsing: bytes)
///
/// It takes text without escapes and beyond ASCII, members that it knows, and values that keep the rules. Everything else, sound or not, it
/// leaves to the reader of all JSON, which also says what is wrong. What it takes, that one reads in the same way.
struct PlainReportReader {
    private enum Key: Int, Sendable {
        case sequence, code, time, package, version, release, phase, error, wireBytes, zipBytes, local, online, missed,
            bytes
        case format, sender, channel, events
    }

    /// What a word stands for, by its bytes.
    private struct Words<Value: Sendable>: Sendable {
        private let entries: [(bytes: [UInt8], value: Value)]

        init(_ entries: [(String, Value)]) { self.entries = entries.map { (Array($0.0.utf8), $0.1) } }

        func value(of word: UnsafeBufferPointer<UInt8>.SubSequence) -> Value? {
            for entry in entries where entry.bytes.count == word.count && word.elementsEqual(entry.bytes) {
                return entry.value
            }
            return nil
        }
    }

    /// A name that was read last: those of a batch are mostly the same, and are parsed once.
    private struct Known<Value> {
        var place = 0..<0
        var value: Value
    }

    private static let eventKeys = Words<Key>([
        ("sequence", .sequence), ("code", .code), ("time", .time), ("package", .package), ("version", .version),
        ("release", .release), ("phase", .phase), ("error", .error), ("wireBytes", .wireBytes), ("zipBytes", .zipBytes),
        ("local", .local), ("online", .online), ("missed", .missed), ("bytes", .bytes),
    ])
    private static let batchKeys = Words<Key>([
        ("format", .format), ("sender", .sender), ("channel", .channel), ("events", .events),
    ])
    private static let codes = Words(ReportEvent.Code.allCases.map { ($0.rawValue, $0) })
    private static let phases = Words(ReportEvent.Phase.allCases.map { ($0.rawValue, $0) })
    private static let faults = Words(ReportEvent.Fault.allCases.map { ($0.rawValue, $0) })

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var package: Known<PackageID>?
    private var version: Known<SemanticVersion>?
    private var release: Known<String>?

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// - Returns: nil for what is to be read by `ReportBatch(parsing:)`.
    static func read(_ bytes: [UInt8]) -> ReportBatch? {
        guard bytes.count <= ReportBatch.maximumByteCount else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            var reader = PlainReportReader(bytes)
            return reader.batch()
        }
    }

    // MARK: The document

    private mutating func batch() -> ReportBatch? {
        var seen = 0
        var (sender, channel, events): (ReportID?, ChannelName?, [ReportEvent]?) = (nil, nil, nil)
        guard take("{") else { return nil }
        repeat {
            guard let key = key(Self.batchKeys, &seen) else { return nil }
            switch key {
            case .format: guard number(upTo: .max) == ReportBatch.currentFormat else { return nil }
            case .sender:
                sender = word().flatMap { try? ReportID(text($0)) }
                guard sender != nil else { return nil }
            case .channel:
                channel = word().flatMap { try? ChannelName(text($0)) }
                guard channel != nil else { return nil }
            default:
                events = list()
                guard events != nil else { return nil }
            }
        } while take(",")
        guard take("}"), position == bytes.count, seen & 1 << Key.format.rawValue != 0, let sender, let channel,
            let events
        else { return nil }
        return ReportBatch(sender: sender, channel: channel, events: events)
    }

    private mutating func list() -> [ReportEvent]? {
        guard take("[") else { return nil }
        var events: [ReportEvent] = []
        if take("]") { return events }
        repeat {
            guard events.count < ReportBatch.maximumEventCount, let event = event() else { return nil }
            events.append(event)
        } while take(",")
        return take("]") ? events : nil
    }

    private mutating func event() -> ReportEvent? {
        var seen = 0
        var (sequence, time): (Int?, Int?) = (nil, nil)
        var code: ReportEvent.Code?
        var (phase, fault): (ReportEvent.Phase?, ReportEvent.Fault?) = (nil, nil)
        var (wire, zip): (Int?, Int?) = (nil, nil)
        var web = WebCounters()
        guard take("{") else { return nil }
        repeat {
            guard let key = key(Self.eventKeys, &seen) else { return nil }
            switch key {
            case .sequence:
                sequence = number(upTo: ReportEvent.largestSequence)
                guard let sequence, sequence > 0 else { return nil }
            case .time:
                time = number(upTo: ReportEvent.largestTime)
                guard time != nil else { return nil }
            case .code:
                code = word().flatMap { Self.codes.value(of: bytes[$0]) }
                // What a device is has members of its own.
                guard let code, code != .present else { return nil }
            case .package: guard readPackage() else { return nil }
            case .version: guard readVersion() else { return nil }
            case .release: guard readRelease() else { return nil }
            case .phase:
                phase = word().flatMap { Self.phases.value(of: bytes[$0]) }
                guard phase != nil else { return nil }
            case .error:
                fault = word().flatMap { Self.faults.value(of: bytes[$0]) }
                guard fault != nil else { return nil }
            case .wireBytes:
                wire = number(upTo: ReportEvent.largestByteCount)
                guard wire != nil else { return nil }
            case .zipBytes:
                zip = number(upTo: ReportEvent.largestByteCount)
                guard zip != nil else { return nil }
            case .local: guard read(&web.local, upTo: ReportEvent.largestCount) else { return nil }
            case .online: guard read(&web.online, upTo: ReportEvent.largestCount) else { return nil }
            case .missed: guard read(&web.missed, upTo: ReportEvent.largestCount) else { return nil }
            case .bytes: guard read(&web.byteCount, upTo: ReportEvent.largestByteCount) else { return nil }
            case .format, .sender, .channel, .events: return nil
            }
        } while take(",")
        func has(_ key: Key) -> Bool { seen & 1 << key.rawValue != 0 }
        guard take("}"), let sequence, let time, let code, has(.package), let package, has(.version) || code == .gateOff
        else { return nil }
        var event = ReportEvent(
            sequence: sequence, code: code, time: time, package: package.value,
            version: has(.version) ? version?.value : nil, release: has(.release) ? release?.value : nil)
        event.phase = phase
        event.fault = fault
        event.wireByteCount = wire
        event.zipByteCount = zip
        // Of other codes these members are passed over, once they are known to be sound.
        if code == .session { event.web = web }
        return event
    }

    // MARK: Names

    private mutating func readPackage() -> Bool {
        guard let place = word() else { return false }
        if let package, isSame(place, package.place) { return true }
        package = (try? PackageID(text(place))).map { Known(place: place, value: $0) }
        return package != nil
    }

    private mutating func readVersion() -> Bool {
        guard let place = word() else { return false }
        if let version, isSame(place, version.place) { return true }
        version = (try? SemanticVersion(text(place))).map { Known(place: place, value: $0) }
        return version != nil
    }

    private mutating func readRelease() -> Bool {
        guard let place = word() else { return false }
        if let release, isSame(place, release.place) { return true }
        guard ReportEvent.isRelease(bytes[place]) else { return false }
        release = Known(place: place, value: text(place))
        return true
    }

    private func isSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        one.count == other.count && bytes[one].elementsEqual(bytes[other])
    }

    private func text(_ place: Range<Int>) -> String { String(decoding: bytes[place], as: UTF8.self) }

    // MARK: Tokens

    private mutating func skipBlank() {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    /// Passes a character with the blanks around it, if it is the next.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlank()
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        skipBlank()
        return true
    }

    /// A key and the colon behind it, each key once.
    private mutating func key(_ words: Words<Key>, _ seen: inout Int) -> Key? {
        guard let place = word(), let key = words.value(of: bytes[place]), seen & 1 << key.rawValue == 0, take(":")
        else {
            return nil
        }
        seen |= 1 << key.rawValue
        return key
    }

    /// The bytes between two quotation marks: ASCII without escapes.
    private mutating func word() -> Range<Int>? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return start..<position - 1
            }
            guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return nil
    }

    private mutating func number(upTo largest: Int) -> Int? {
        let start = position
        var value = 0
        // 18 digits always fit.
        while position < bytes.count, position - start < 18, bytes[position] >= 0x30, bytes[position] <= 0x39 {
            value = value * 10 + Int(bytes[position] - 0x30)
            position += 1
        }
        let count = position - start
        guard count > 0, count == 1 || bytes[start] != 0x30, value <= largest else { return nil }
        return value
    }

    private mutating func read(_ value: inout Int, upTo largest: Int) -> Bool {
        guard let number = number(upTo: largest) else { return false }
        value = number
        return true
    }
}
