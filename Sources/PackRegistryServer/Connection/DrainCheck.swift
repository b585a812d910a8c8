import NIOCore

/// Closes a connection if its client does not read its answers. A slow client is fine if it reads at least
/// ``ServerLimits/minimumReadRate``.
///
/// A plain time limit would not do: an answer of some megabytes is written at once, and the channel is not writable again
/// until nearly all of it has left.
final class DrainCheck {
    /// Bytes of a file under way that have not been given to the channel yet; nil if none is.
    private var rest: Int?
    private let limits: ServerLimits
    private var scheduled: Scheduled<Void>?

    init(limits: ServerLimits) {
        self.limits = limits
    }

    /// Called on each change of the channel's writability.
    func writabilityChanged(_ context: ChannelHandlerContext) {
        guard rest == nil else { return }
        stop()
        if !context.channel.isWritable { schedule(context) }
    }

    /// Called when a file is begun, for each piece of it, and with nil at its end. What waits in the channel rises and falls
    /// with the pieces and tells nothing, and the last may be too small to make the channel not writable.
    func fileHasLeft(_ rest: Int?, _ context: ChannelHandlerContext) {
        let isFirst = self.rest == nil
        self.rest = rest
        if rest == nil {
            writabilityChanged(context)
        } else if isFirst {
            stop()
            schedule(context)
        }
    }

    func stop() {
        scheduled?.cancel()
        scheduled = nil
    }

    private func schedule(_ context: ChannelHandlerContext) {
        schedule(context, left: unread(context.channel))
    }

    /// Goes on until the channel is writable and no file is under way, or until it is closed.
    private func schedule(_ context: ChannelHandlerContext, left: Int?) {
        scheduled = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.stallTimeout)) {
            let channel = context.channel
            self.scheduled = nil
            guard channel.isActive, !channel.isWritable || self.rest != nil else { return }
            guard let left, let now = self.unread(channel) else { return channel.close(promise: nil) }
            let time = self.limits.stallTimeout.components
            let seconds = Double(time.seconds) + Double(time.attoseconds) / 1e18
            // More may have been written meanwhile: then something was read.
            guard now > left || Double(left - now) >= Double(self.limits.minimumReadRate) * seconds else {
                return channel.close(promise: nil)
            }
            self.schedule(context, left: now)
        }
    }

    /// Bytes that wait to be sent; a stream of HTTP/2 waits in its connection.
    private func unread(_ channel: any Channel) -> Int? {
        let socket = channel.parent?.parent == nil ? channel : channel.parent
        return (try? socket?.syncOptions?.getOption(.bufferedWritableBytes)).map { $0 + (rest ?? 0) }
    }
}
