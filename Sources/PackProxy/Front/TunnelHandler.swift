import NIOCore

/// One end of a tunnel: the other end writes what this one reads. It reads only while the other end can write, so a
/// slow reader slows the sender down and nothing piles up. Both ends are on one event loop.
///
/// Once one end has closed its direction, the other must send or close: if the tunnel is then silent for the limit's
/// time, it is closed, because the other side may have disappeared. A tunnel that is open in both directions may be
/// silent for any time.
final class TunnelHandler: ChannelDuplexHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    private var partner: TunnelHandler?
    private var context: ChannelHandlerContext?
    private var waitsToRead = false
    private let silence: HalfClosedTimer

    private init(_ silence: HalfClosedTimer) {
        self.silence = silence
    }

    /// - Parameter limit: how long a tunnel may carry nothing after one direction was closed.
    static func pair(limit: TimeAmount) -> (TunnelHandler, TunnelHandler) {
        let silence = HalfClosedTimer(limit: limit)
        let (first, second) = (TunnelHandler(silence), TunnelHandler(silence))
        first.partner = second
        second.partner = first
        return (first, second)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        partner = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        silence.reset()
        partner?.context?.write(data, promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        partner?.context?.flush()
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        silence.end()
        partner?.close(.all)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, case .inputClosed = event {
            partner?.close(.output)
            let ends = [context.channel, partner?.context?.channel].compactMap { $0 }
            silence.begin(on: context.eventLoop) { for end in ends { end.close(promise: nil) } }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        silence.reset()
        if context.channel.isWritable { partner?.readIfWaiting() }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        if partner?.context?.channel.isWritable ?? true { context.read() } else { waitsToRead = true }
    }

    /// Closes once all that was written has gone out: a close at once would drop what a slow reader has not taken.
    private func close(_ mode: CloseMode) {
        guard let context else { return }
        let channel = context.channel
        context.writeAndFlush(NIOAny(ByteBuffer())).whenComplete { _ in channel.close(mode: mode, promise: nil) }
    }

    private func readIfWaiting() {
        guard waitsToRead else { return }
        waitsToRead = false
        context?.read()
    }
}
