package import PackFormat

/// What became of the events of one batch. What is accepted is durable.
package struct ReportReceipt: Hashable, Sendable {
    /// Events that are stored now and were not before.
    package var accepted = 0
    /// Events that were stored already: a sender that got no answer sends them again.
    package var duplicates = 0
    /// Events with a code or a field that this registry does not know.
    package var unknown = 0
    /// Events of a version or release that the channel never offered.
    package var neverOffered = 0

    package init() {}
}

/// One stored event of a device.
package struct DeviceEvent: Hashable, Sendable {
    package let channel: ChannelName
    package let event: ReportEvent
    /// When the registry got it, in seconds since 1970.
    package let received: Int

    package init(channel: ChannelName, event: ReportEvent, received: Int) {
        self.channel = channel
        self.event = event
        self.received = received
    }
}
