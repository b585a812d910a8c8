package import PackJSON

/// The events that a device sends at a time (`POST /v1/reports`).
///
///     {"format": 1, "sender": "5f0c…", "channel": "stable", "events": [{"sequence": 1, "code": "activated", …}]}
package struct ReportBatch: Hashable, Sendable {
    package static let currentFormat = 1
    package static let maximumEventCount = 500
    /// Bytes of the whole document.
    package static let maximumByteCount = 256 << 10
    private static let maximumDepth = 4
    /// An event has at most 17 members.
    private static let maximumValueCount = 18 * maximumEventCount

    package let sender: ReportID
    package let channel: ChannelName
    package let events: [ReportEvent]
    /// How many events had a code or a field that this program does not know.
    package let unknownCount: Int

    package init(sender: ReportID, channel: ChannelName, events: [ReportEvent]) {
        self.sender = sender
        self.channel = channel
        self.events = events
        unknownCount = 0
    }

    /// - Throws: ``FormatError`` and `JSONError` that say what is wrong and in which event. Nothing of such a batch counts.
    package init(parsing bytes: [UInt8]) throws {
        guard bytes.count <= Self.maximumByteCount else {
            throw FormatError.invalidDocument(
                "the report", reason: "it has \(bytes.count) bytes and at most \(Self.maximumByteCount) are read")
        }
        var options = JSONValue.ParseOptions(maximumDepth: Self.maximumDepth)
        options.maximumValueCount = Self.maximumValueCount
        let json = try JSONValue(parsing: bytes, options: options).object("the report")
        let format = try json.integer("format")
        guard format == Self.currentFormat else {
            throw FormatError.unsupportedFormat("the report", found: format, supported: Self.currentFormat)
        }
        try json.refuseKeys(outside: ["format", "sender", "channel", "events"])
        sender = try ReportID(json.string("sender"))
        channel = try ChannelName(json.string("channel"))
        let list = try json.array("events")
        guard list.count <= Self.maximumEventCount else {
            throw FormatError.invalidDocument(
                "the report", reason: "it has \(list.count) events and at most \(Self.maximumEventCount) are read")
        }
        var known: [ReportEvent] = []
        known.reserveCapacity(list.count)
        var names = ReportEvent.Names()
        for (index, value) in list.enumerated() {
            do {
                if let event = try ReportEvent(json: value.object("events"), &names) { known.append(event) }
            } catch {
                throw FormatError.invalidDocument("event \(index + 1) of the report", reason: "\(error)")
            }
        }
        events = known
        unknownCount = list.count - known.count
    }

    package var json: JSONObject {
        [
            "format": .integer(Self.currentFormat), "sender": .string(sender.text), "channel": .string(channel.text),
            "events": .array(events.map { .object($0.json) }),
        ]
    }
}
