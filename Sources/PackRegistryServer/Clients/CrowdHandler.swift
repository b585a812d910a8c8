import NIOCore

/// Works at the listening socket. Of the connections to refuse, it lets a limited number a second through, so that
/// they get an answer, and closes the others before anything is allocated for them. Thousands of them would otherwise
/// delay new clients.
final class CrowdHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private let door: ConnectionDoor
    private var second = NIODeadline.now()
    private var answered = 0

    init(door: ConnectionDoor) {
        self.door = door
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        guard door.isClosed(for: channel) else {
            context.fireChannelRead(data)
            return
        }
        let now = NIODeadline.now()
        if now - second >= .seconds(1) { (second, answered) = (now, 0) }
        answered += 1
        if answered <= door.limits.maximumRefusalAnswers {
            context.fireChannelRead(data)
        } else {
            channel.close(promise: nil)
        }
    }
}
