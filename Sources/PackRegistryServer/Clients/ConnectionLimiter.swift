import NIOCore

/// Accepts connections while their address is below its limit, and closes the others at once.
struct ConnectionLimiter: Sendable {
    let table: ClientTable
    let limits: ServerLimits

    init(limits: ServerLimits) {
        self.limits = limits
        table = ClientTable(
            limit: limits.maximumConnectionsPerAddress, crowd: limits.maximumConnections / 4 * 3)
    }

    /// Behind a trusted proxy are many clients: there requests are counted, by ``RegistryResponder``.
    /// - Returns: false if the connection is to be refused.
    func admits(_ channel: any Channel) -> Bool {
        let address = client(of: channel)
        let table = table
        guard table.enter(address) else { return false }
        channel.closeFuture.whenComplete { _ in table.leave(address) }
        return true
    }

    /// Whether a connection that was just taken will be refused.
    func isClosed(for channel: any Channel) -> Bool { table.isFull(for: client(of: channel)) }

    private func client(of channel: any Channel) -> ClientAddress? {
        let peer = channel.remoteAddress
        return peer?.ipAddress.map(limits.trustedProxies.contains) == true ? nil : ClientAddress(peer)
    }

    /// How long a connection may do nothing now.
    var idleTimeout: TimeAmount {
        TimeAmount(table.isCrowded ? min(limits.crowdedIdleTimeout, limits.idleTimeout) : limits.idleTimeout)
    }

    /// How often it is looked whether a connection did nothing for so long.
    var idleCheckInterval: TimeAmount { TimeAmount(min(limits.crowdedIdleTimeout, limits.idleTimeout)) }
}

/// Tells the client that its address has reached the limit of connections, if the client can read that, and closes.
final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let answer = ByteBuffer(
        string: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: \(Problem.retrySeconds)\r\n"
            + "Content-Length: 0\r\nConnection: close\r\n\r\n")

    private let isSecure: Bool
    private let ended: () -> Void

    init(isSecure: Bool, ended: @escaping () -> Void) {
        self.isSecure = isSecure
        self.ended = ended
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { refuse(context) }
    }

    func channelActive(context: ChannelHandlerContext) { refuse(context) }

    func channelInactive(context: ChannelHandlerContext) { ended() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    private func refuse(_ context: ChannelHandlerContext) {
        if !isSecure { context.writeAndFlush(wrapOutboundOut(Self.answer), promise: nil) }
        context.close(promise: nil)
    }
}
