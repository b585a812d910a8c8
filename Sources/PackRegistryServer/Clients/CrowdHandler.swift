import NIOCore

/// Stands at the listening socket: of the connections that are to be refused it lets so many a second through to be told so,
/// and shuts the others before anything was made for them. Thousands of them would else hold up who comes in between.
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
