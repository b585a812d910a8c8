import NIOCore
import NIOHTTP1
import NIOPosix

/// Reads a connection's requests as a proxy: it checks the credentials, opens tunnels, and passes packages to their
/// handler.
final class FrontHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case idle
        /// The rest of a refused request, or of a CONNECT, has not arrived yet.
        case answered(next: Next)
        case forwarding(ForwardHandler)
    }

    private enum Next {
        case close, package, tunnel(host: String, port: Int)
    }

    private let credentials: ProxyCredentials
    private let limits: ProxyLimits
    private let encoder: HTTPResponseEncoder
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let becomePackage: (any Channel) throws -> Void
    private var state = State.idle

    init(
        credentials: ProxyCredentials, limits: ProxyLimits, encoder: HTTPResponseEncoder,
        decoder: ByteToMessageHandler<HTTPRequestDecoder>, becomePackage: @escaping (any Channel) throws -> Void
    ) {
        self.credentials = credentials
        self.limits = limits
        self.encoder = encoder
        self.decoder = decoder
        self.becomePackage = becomePackage
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), _): begin(head, context)
        case (.body(let bytes), .forwarding(let forward)): forward.send(.body(.byteBuffer(bytes)))
        case (.end(let trailers), .forwarding(let forward)): forward.send(.end(trailers))
        case (.end, .answered(let next)): proceed(next, context)
        case (.body, _), (.end, _): break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .forwarding(let forward) = state { forward.close() }
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .forwarding(let forward) = state { forward.pause(!context.channel.isWritable) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        // A connection ends with the refusal: behind a CONNECT the decoder reads no further request, so whoever sent one
        // there would wait for its answer for ever.
        guard credentials.admit(head.headers.first(name: "proxy-authorization")) else {
            let fields = [("proxy-authenticate", "Basic realm=\"packtool\"")]
            refuse(.proxyAuthenticationRequired, fields, then: .close, context)
            return
        }
        switch ProxyTarget(method: head.method.rawValue, uri: head.uri) {
        case .malformed(let reason): refuse(.badRequest, [], reason, then: .close, context)
        case .insecurePackage(let location):
            refuse(.permanentRedirect, [("location", location)], then: .close, context)
        case .package: state = .answered(next: .package)
        case .tunnel(let host, let port): state = .answered(next: .tunnel(host: host, port: port))
        case .forward(let host, let port, let path):
            let forward = ForwardHandler(front: context, host: host, port: port, limits: limits) { [weak self] in
                self?.state = .idle
            }
            state = .forwarding(forward)
            var request = head
            request.uri = path
            forward.begin(request)
        }
    }

    private func proceed(_ next: Next, _ context: ChannelHandlerContext) {
        state = .idle
        switch next {
        case .close: context.close(promise: nil)
        case .package:
            confirmTunnel(context)
            do {
                let channel = context.channel
                leave(context) { try self.becomePackage(channel) }
            }
        case .tunnel(let host, let port): openTunnel(to: host, port, context)
        }
    }

    private func openTunnel(to host: String, _ port: Int, _ context: ChannelHandlerContext) {
        // Nothing is read until both ends are joined.
        _ = context.channel.setOption(.autoRead, value: false)
        let front = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connectTimeout(.seconds(Int64(limits.connectTimeout)))
            .connect(host: host, port: port)
            .whenComplete { result in
                let (handler, context) = front.value
                switch result {
                case .success(let remote) where Self.isOwn(remote, of: context.channel):
                    remote.close(promise: nil)
                    handler.refuse(.forbidden, [], "a proxy opens no tunnel to itself", then: .close, context)
                    handler.proceed(.close, context)
                case .success(let remote): handler.join(remote, context)
                case .failure(let error):
                    handler.refuse(
                        .badGateway, [], "\(host):\(port) cannot be reached: \(error)", then: .close, context)
                    handler.proceed(.close, context)
                }
            }
    }

    /// Whether the other end is this proxy, by whichever name or address of the machine it was asked for.
    private static func isOwn(_ remote: any Channel, of front: any Channel) -> Bool {
        guard let there = remote.remoteAddress, let here = front.localAddress, there.port == here.port else {
            return false
        }
        return there.ipAddress == here.ipAddress || there.ipAddress == remote.localAddress?.ipAddress
    }

    private func join(_ remote: any Channel, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else {
            remote.close(promise: nil)
            return
        }
        confirmTunnel(context)
        let channel = context.channel
        leave(context) {
            let (near, far) = TunnelHandler.pair(limit: .seconds(Int64(self.limits.halfClosedTimeout)))
            try channel.pipeline.syncOperations.addHandler(near)
            try remote.pipeline.syncOperations.addHandler(far)
        }
        // Only now: as long as HTTP is spoken, a connection that the web view has closed is over.
        _ = channel.setOption(.allowRemoteHalfClosure, value: true)
        for end in [channel, remote] { _ = end.setOption(.autoRead, value: true) }
    }

    private func confirmTunnel(_ context: ChannelHandlerContext) {
        // The encoder frames every answer by a length or by chunks; a tunnel's begins after "200" whatever it says.
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// Takes HTTP off the connection; what comes next reads its bytes.
    private func leave(_ context: ChannelHandlerContext, then add: () throws -> Void) {
        let pipeline = context.pipeline.syncOperations
        let channel = context.channel
        _ = pipeline.removeHandler(encoder)
        _ = pipeline.removeHandler(self)
        do {
            try add()
            _ = pipeline.removeHandler(decoder)
        } catch {
            channel.close(promise: nil)
        }
    }

    private func refuse(
        _ status: HTTPResponseStatus, _ fields: [(String, String)], _ text: String = "", then next: Next,
        _ context: ChannelHandlerContext
    ) {
        state = .answered(next: next)
        let body = context.channel.allocator.buffer(string: text.isEmpty ? "" : text + "\n")
        var headers = HTTPHeaders(fields)
        headers.add(name: "content-length", value: "\(body.readableBytes)")
        headers.add(name: "content-type", value: "text/plain; charset=utf-8")
        if case .close = next { headers.add(name: "connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
