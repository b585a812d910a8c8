import NIOCore

/// Closes a connection whose answers nobody reads, and leaves alone one that reads slowly: while the channel is not writable,
/// at least ``ServerLimits/minimumReadRate`` must leave it.
///
/// A plain time limit would not do: an answer of some megabytes is written at once, and the channel is not writable again
/// until nearly all of it has left.
struct DrainCheck {
    private let limits: ServerLimits
    private var scheduled: Scheduled<Void>?

    init(limits: ServerLimits) {
        self.limits = limits
    }

    /// Called on each change of the channel's writability.
    mutating func writabilityChanged(_ context: ChannelHandlerContext) {
        stop()
        guard !context.channel.isWritable else { return }
        scheduled = Self.schedule(context, limits, left: Self.buffered(context.channel))
    }

    mutating func stop() {
        scheduled?.cancel()
        scheduled = nil
    }

    private static func schedule(_ context: ChannelHandlerContext, _ limits: ServerLimits, left: Int?) -> Scheduled<
        Void
    > {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: TimeAmount(limits.stallTimeout)) {
            check(channel, limits, left: left)
        }
    }

    /// Goes on until the channel is writable or closed; a check that is left over then finds nothing to do.
    private static func check(_ channel: any Channel, _ limits: ServerLimits, left: Int?) {
        guard channel.isActive, !channel.isWritable else { return }
        guard let left, let now = buffered(channel) else { return channel.close(promise: nil) }
        let seconds =
            Double(limits.stallTimeout.components.seconds) + Double(limits.stallTimeout.components.attoseconds) / 1e18
        // More may have been written meanwhile: then something was read.
        guard now > left || Double(left - now) >= Double(limits.minimumReadRate) * seconds else {
            return channel.close(promise: nil)
        }
        channel.eventLoop.scheduleTask(in: TimeAmount(limits.stallTimeout)) {
            check(channel, limits, left: now)
        }
    }

    /// Bytes that wait to be sent; a stream of HTTP/2 waits in its connection.
    private static func buffered(_ channel: any Channel) -> Int? {
        let socket = channel.parent?.parent == nil ? channel : channel.parent
        return try? socket?.syncOptions?.getOption(.bufferedWritableBytes)
    }
}
