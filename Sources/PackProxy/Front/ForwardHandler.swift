import NIOCore
import NIOHTTP1
import NIOPosix

/// Forwards one plain http request to another host, and its answer back. Both are unchanged, except the fields that
/// concern only one connection (RFC 9110 section 7.6.1).
final class ForwardHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let front: ChannelHandlerContext
    private let host: String
    private let port: Int
    private let limits: ProxyLimits
    private let ended: () -> Void
    private var upstream: (any Channel)?
    private var waiting: [HTTPClientRequestPart] = []
    private var hasEnded = false

    init(
        front: ChannelHandlerContext, host: String, port: Int, limits: ProxyLimits, ended: @escaping () -> Void
    ) {
        self.front = front
        self.host = host
        self.port = port
        self.limits = limits
        self.ended = ended
    }

    func begin(_ head: HTTPRequestHead) {
        var headers = Self.endToEnd(head.headers)
        let authority = host.contains(":") ? "[\(host)]" : host
        headers.replaceOrAdd(name: "host", value: port == 80 ? authority : "\(authority):\(port)")
        headers.add(name: "connection", value: "close")
        if head.headers["transfer-encoding"].contains("chunked") {
            headers.add(name: "transfer-encoding", value: "chunked")
        }
        waiting = [.head(HTTPRequestHead(version: .http1_1, method: head.method, uri: head.uri, headers: headers))]
        let bound = NIOLoopBound(self, eventLoop: front.eventLoop)
        // No more of the body is read than what has come, until there is somebody to send it to.
        _ = front.channel.setOption(.autoRead, value: false)
        ClientBootstrap(group: front.eventLoop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connectTimeout(.seconds(Int64(limits.connectTimeout)))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .connect(host: host, port: port)
            .whenComplete { result in
                let handler = bound.value
                switch result {
                case .success(let channel): handler.connected(channel)
                case .failure: handler.fail()
                }
            }
    }

    func send(_ part: HTTPClientRequestPart) {
        guard let upstream else {
            waiting.append(part)
            return
        }
        upstream.writeAndFlush(part, promise: nil)
    }

    /// The web view cannot take more for now.
    func pause(_ isPaused: Bool) { _ = upstream?.setOption(.autoRead, value: !isPaused) }

    func close() {
        hasEnded = true
        upstream?.close(promise: nil)
    }

    private func connected(_ channel: any Channel) {
        guard !hasEnded else {
            channel.close(promise: nil)
            return
        }
        upstream = channel
        for part in waiting { channel.write(part, promise: nil) }
        waiting = []
        channel.flush()
        _ = front.channel.setOption(.autoRead, value: true)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            var headers = Self.endToEnd(head.headers)
            headers.add(name: "connection", value: "close")
            let answer = HTTPResponseHead(version: .http1_1, status: head.status, headers: headers)
            front.write(part(.head(answer)), promise: nil)
        case .body(let bytes): front.write(part(.body(.byteBuffer(bytes))), promise: nil)
        case .end(let trailers):
            hasEnded = true
            let channel = front.channel
            front.writeAndFlush(part(.end(trailers))).whenComplete { _ in channel.close(promise: nil) }
            ended()
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { if !hasEnded { front.flush() } }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        _ = front.channel.setOption(.autoRead, value: context.channel.isWritable)
    }

    func channelInactive(context: ChannelHandlerContext) { fail() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail()
        context.close(promise: nil)
    }

    /// Half an answer must not look like a whole one; and if there is none, apps wait for a network error, as they get it
    /// without a proxy, and not for an answer of ours.
    private func fail() {
        guard !hasEnded else { return }
        hasEnded = true
        front.close(promise: nil)
        ended()
    }

    private func part(_ part: HTTPServerResponsePart) -> NIOAny { NIOAny(part) }

    static func endToEnd(_ headers: HTTPHeaders) -> HTTPHeaders {
        var result = headers
        for name in headers[canonicalForm: "connection"] { result.remove(name: String(name)) }
        for name in [
            "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te",
            "trailer",
            "transfer-encoding", "upgrade",
        ] {
            result.remove(name: name)
        }
        return result
    }
}
