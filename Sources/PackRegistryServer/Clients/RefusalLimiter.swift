import NIOCore

/// Works at the listening socket. Of the connections to refuse, it lets a limited number a second through, so that
/// they get an answer, and closes the others before anything is allocated for them. Thousands of them would otherwise
/// delay new clients.
final class RefusalLimiter: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let limiter: ConnectionLimiter
    private var second = NIODeadline.now()
    private var answered = 0

    init(limiter: ConnectionLimiter) {
        self.limiter = limiter
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        guard limiter.isClosed(for: channel) else {
            context.fireChannelRead(data)
            return
        }
        let now = NIODeadline.now()
        if now - second >= .seconds(1) { (second, answered) = (now, 0) }
        answered += 1
        if answered <= limiter.limits.maximumRefusalAnswers {
            context.fireChannelRead(data)
        } else {
            channel.close(promise: nil)
        }
    }
}
