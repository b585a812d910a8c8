package import PackFormat

/// Which clients of other systems a server answers, and what they do not say themselves.
package struct AdapterSettings: Sendable {
    package var kinds: Set<AdapterKind> = []
    /// The channel of a client that names none.
    package var channel: ChannelName
    /// Deployment keys that do not say themselves what they stand for.
    package var codePushKeys = CodePushKeyTable.empty

    package init(channel: ChannelName) {
        self.channel = channel
    }
}
