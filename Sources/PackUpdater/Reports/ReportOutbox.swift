import PackFormat
import PackJSON
import PackSystem

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Android)
    import Android
#endif

/// The events that a device has not sent yet: `reports/outbox.jsonl`, one a line. It is bounded, and a killed process
/// costs at most the line that it was writing. Several processes may use it at once.
struct ReportOutbox: Sendable {
    /// What waits to be sent.
    struct Pending {
        let identity: ReportIdentity
        /// The oldest first.
        let lines: [Line]

        var events: [ReportEvent] { lines.map(\.event) }
    }

    /// An event and the channel that the device looked at then; nil for one of an earlier program.
    struct Line {
        let event: ReportEvent
        let channel: ChannelName?
    }

    /// A version that the device has.
    struct Presence {
        let package: PackageID
        let version: SemanticVersion
        let release: String?
    }

    private static let day = 86_400
    /// Of many packages some are told with each sending, so that they leave room for what happens.
    private static let maximumToldCount = 50

    let folder: URL
    let settings: ReportSettings
    let now: @Sendable () -> Date
    /// Bytes; beyond it the older half goes.
    var maximumByteCount = 128 << 10

    private var identityFile: URL { folder.appending(path: "identity.json") }
    private var toldFile: URL { folder.appending(path: "told.json") }
    private var events: URL { folder.appending(path: "outbox.jsonl") }
    private var seconds: Int { Int(now().timeIntervalSince1970) }

    /// Adds an event. As the log for people, it never keeps an update from going on: what cannot be written is lost.
    func add(
        _ code: ReportEvent.Code, _ package: PackageID, _ version: SemanticVersion?, release: String?,
        channel: ChannelName? = nil, _ details: (inout ReportEvent) -> Void = { _ in }
    ) {
        try? locked {
            try append(channel, identity() ?? makeIdentity()) { sequence in
                var event = ReportEvent(
                    sequence: sequence, code: code, time: seconds, package: package, version: version, release: release)
                details(&event)
                return [event]
            }
        }
    }

    /// Says what the device has and is, as far as it was not said lately under this id. It waits while much else does.
    func tell(_ presences: [Presence], _ facts: ReportFacts, channel: ChannelName) {
        guard !presences.isEmpty else { return }
        try? locked {
            guard try content().count < maximumByteCount / 2 else { return }
            let identity = try identity() ?? makeIdentity()
            var told = try told(under: identity.id)
            let known = JSONValue.object(facts.json).compactText
            var new: [Presence] = []
            for presence in presences where new.count < Self.maximumToldCount {
                let text = "\(channel) \(presence.version) \(presence.release ?? "") \(known)"
                if told.note(text, of: presence.package, at: seconds) { new.append(presence) }
            }
            guard !new.isEmpty else { return }
            try append(channel, identity) { first in
                new.enumerated().map { index, presence in
                    var event = ReportEvent(
                        sequence: first + index, code: .present, time: seconds, package: presence.package,
                        version: presence.version, release: presence.release)
                    event.facts = facts
                    return event
                }
            }
            // Behind the events: said twice is better than never.
            try Durable.write(told.bytes, to: toldFile)
        }
    }

    /// Drops what waits of facts: the app does not let the device say them any more.
    func dropFacts() {
        guard (try? Durable.exists(toldFile)) == true else { return }
        try? locked {
            try write(Self.lines(in: content()).filter { $0.event.code != .present })
            try Durable.remove(toldFile)
        }
    }

    /// - Parameter make: makes the events, from the sequence of the first.
    private func append(
        _ channel: ChannelName?, _ identity: ReportIdentity, _ make: (Int) -> [ReportEvent]
    ) throws {
        let present = try content()
        let last = Self.lines(in: present).last?.event.sequence ?? 0
        let added = make(max(identity.next, last + 1)).map { Line(event: $0, channel: channel) }
        var text = Array(added.map(Self.text).joined().utf8)
        // Behind a line that a power cut has torn.
        if let end = present.last, end != UInt8(ascii: "\n") { text.insert(UInt8(ascii: "\n"), at: 0) }
        if present.count + text.count > maximumByteCount {
            let kept = Self.lines(in: present)
            return try write(kept.suffix(kept.count / 2) + added)
        }
        let open = try OpenFile(events, flags: O_WRONLY | O_CREAT | O_APPEND)
        try text.withUnsafeBytes { try open.write($0) }
    }

    /// What waits, without what is too old. Nothing is changed. Under the lock, for a new id may be made meanwhile: events
    /// of one id must not be sent under another.
    func pending() throws -> Pending? {
        guard try Durable.exists(identityFile) else { return nil }
        return try locked {
            guard let identity = try identity() else { return nil }
            let oldest = seconds - settings.keepDays * Self.day
            return Pending(
                identity: identity,
                lines: Self.lines(in: try content()).filter { line in
                    // Facts that wait are not sent once the app does not let them any more.
                    line.event.time >= oldest && (settings.includesFacts || line.event.code != .present)
                })
        }
    }

    /// Removes what was sent. First it is noted that these sequences are used, so that none is used twice.
    func remove(through sequence: Int, of id: ReportID) throws {
        try locked {
            guard var identity = try identity(), identity.id == id else { return }
            identity.next = max(identity.next, sequence + 1)
            identity.failures = 0
            identity.notBefore = 0
            try Durable.write(identity.bytes, to: identityFile)
            let oldest = seconds - settings.keepDays * Self.day
            try write(Self.lines(in: content()).filter { $0.event.sequence > sequence && $0.event.time >= oldest })
        }
    }

    /// Puts off the next attempt.
    /// - Parameter asked: the seconds that the server asked for.
    func putOff(asked: Int?) throws {
        try locked {
            guard var identity = try identity() else { return }
            identity.failures += 1
            let pause = ReportIdentity.pause(afterFailures: identity.failures)
            identity.notBefore = seconds + max(pause, min(asked ?? 0, Self.day))
            try Durable.write(identity.bytes, to: identityFile)
        }
    }

    /// Makes a new id where the old one has served its time. Events of the old one are sent first; those that could not
    /// be sent are dropped at last, for under the new id they would tell that both are one device.
    /// - Parameter isSettled: whether no version waits for its confirmation: its beginning and its end belong together.
    func renewIdentity(isSettled: Bool) throws {
        try locked {
            guard let identity = try identity() else { return }
            let age = seconds - identity.made
            let isDue = age >= settings.idDays * Self.day
            let isOverdue = age >= (settings.idDays + settings.keepDays) * Self.day
            // A clock that was far ahead when the id was made.
            let isFromTheFuture = age < -Self.day
            let isEmpty = try Self.lines(in: content()).isEmpty
            guard isOverdue || isFromTheFuture || isDue && isSettled && isEmpty else { return }
            try Durable.remove(events)
            _ = try makeIdentity()
        }
    }

    /// Forgets the id and what waits under it.
    /// - Returns: the new id.
    func reset() throws -> ReportID {
        try locked {
            try Durable.remove(events)
            return try makeIdentity().id
        }
    }

    // MARK: Files

    private func identity() throws -> ReportIdentity? {
        guard let bytes = try Durable.readSound(identityFile, maximumByteCount: 4096) else { return nil }
        // A damaged one is made anew.
        return try? ReportIdentity(parsing: bytes)
    }

    private func told(under id: ReportID) throws -> ToldPresence {
        // A damaged one, and that of an earlier id, is made anew.
        let bytes = try Durable.readSound(toldFile, maximumByteCount: 4 << 20)
        guard let told = bytes.flatMap({ try? ToldPresence(parsing: $0) }), told.id == id else {
            return ToldPresence(id: id)
        }
        return told
    }

    private func makeIdentity() throws -> ReportIdentity {
        var generator = SystemRandomNumberGenerator()
        let identity = ReportIdentity(id: ReportID(using: &generator), made: seconds)
        // Before its first event, so that no event stands under two ids. Events of a lost id would begin anew.
        try Durable.write(identity.bytes, to: identityFile)
        return identity
    }

    private func content() throws -> [UInt8] {
        try Durable.readSound(events, maximumByteCount: 4 * maximumByteCount) ?? []
    }

    private func write(_ kept: [Line]) throws {
        try Durable.write(Array(kept.map(Self.text).joined().utf8), to: events)
    }

    private static func text(of line: Line) -> String {
        var json = line.event.json
        json["channel"] = line.channel.map { .string($0.text) }
        return JSONValue.object(json).compactText + "\n"
    }

    private static func lines(in bytes: [UInt8]) -> [Line] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard var json = try? JSONValue(parsing: line).object() else { return nil }
            let channel = json["channel"].flatMap { try? ChannelName($0.string("channel")) }
            json["channel"] = nil
            guard let event = try? ReportEvent(json: json) else { return nil }
            return Line(event: event, channel: channel)
        }
    }

    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        try Durable.makeFolder(folder)
        let lock = try Durable.lock(folder.appending(path: "lock"), .exclusive)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }
}
