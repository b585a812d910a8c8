import NIOCore

/// Keeps the first bytes of a connection until a handshake has its turn. It stands before the TLS handler, and goes with its turn.
final class HandshakeTurn: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let queue: HandshakeQueue
    private var kept: ByteBuffer?
    private var isReadHeld = false

    init(in queue: HandshakeQueue) {
        self.queue = queue
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard kept == nil else {
            kept?.writeBuffer(&bytes)
            return
        }
        kept = bytes
        queue.add { self.begin(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if kept == nil { context.fireChannelReadComplete() }
    }

    /// Asks for more only after the handshake has begun: a client that sends on is not kept in memory.
    func read(context: ChannelHandlerContext) {
        if kept == nil { context.read() } else { isReadHeld = true }
    }

    func channelInactive(context: ChannelHandlerContext) {
        kept = nil
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard let bytes = kept, context.channel.isActive else { return }
        kept = nil
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        if isReadHeld { context.read() }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
