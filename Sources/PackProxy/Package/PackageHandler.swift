import Foundation
import NIOCore
import NIOHTTP1
import PackWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Relays a decrypted connection's requests to the packages and the answers back. It decides nothing about them.
final class PackageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pages: any PageSource
    private let online: OnlineSession
    private let limits: ProxyLimits
    private var head: HTTPRequestHead?
    private var body: ByteBuffer?
    private var isTooLarge = false
    private var transfer: Transfer?
    private var hasAnswered = false
    /// Events that wait until the connection can take more.
    private var waiting: CircularBuffer<@Sendable () -> Void> = []

    init(pages: any PageSource, online: OnlineSession, limits: ProxyLimits) {
        self.pages = pages
        self.online = online
        self.limits = limits
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = nil
            isTooLarge = false
        case .body(var bytes):
            if (body?.readableBytes ?? 0) + bytes.readableBytes > limits.maximumBodySize { isTooLarge = true }
            if isTooLarge { body = nil } else if body?.writeBuffer(&bytes) == nil { body = bytes }
        case .end:
            if let head { answer(head, context) }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        drain(context.channel)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        hasAnswered = false
        guard !isTooLarge else {
            say(.payloadTooLarge, "the body is larger than \(limits.maximumBodySize) bytes", context)
            return
        }
        guard let host = head.headers.first(name: "host"), head.uri.hasPrefix("/"),
            let url = URL(string: "https://\(host)\(head.uri)")
        else {
            say(.badRequest, "the request names no page", context)
            return
        }
        var request = URLRequest(url: url)
        request.httpMethod = head.method.rawValue
        // Of one connection, or set anew by whoever sends it on: the wrong host would find the wrong site.
        let dropped: Set<String> = ["host", "content-length", "accept-encoding", "expect"]
        for (name, value) in ForwardHandler.endToEnd(head.headers) where !dropped.contains(name.lowercased()) {
            request.addValue(value, forHTTPHeaderField: name)
        }
        if let body { request.httpBody = Data(body.readableBytesView) }
        body = nil
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let place = CallbackPlace { work in
            loop.execute { bound.value.handler.perform(work, bound.value.context.channel) }
        }
        let page = pages.page(for: SiteRequest(request))
        let transfer = Transfer(request, on: page, online: online, at: place) { event in
            bound.value.handler.relay(event, to: head, bound.value.context)
        }
        self.transfer = transfer
        transfer.start()
    }

    private func perform(_ work: @escaping @Sendable () -> Void, _ channel: any Channel) {
        waiting.append(work)
        drain(channel)
    }

    private func drain(_ channel: any Channel) {
        while channel.isWritable || !channel.isActive, let work = waiting.popFirst() { work() }
    }

    private func relay(_ event: TransferEvent, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch event {
        case .response(let head):
            hasAnswered = true
            write(.head(Self.head(head, to: request)), context)
        case .data(let data): write(.body(.byteBuffer(context.channel.allocator.buffer(bytes: data))), context)
        case .finished: finish(request, context)
        case .failed(let error):
            transfer = nil
            // Half an answer must not look like a whole one.
            if hasAnswered { context.close(promise: nil) } else { say(.badGateway, "\(error)", context) }
        }
    }

    private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(part), promise: nil)
    }

    private func finish(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        transfer = nil
        head = nil
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard !request.isKeepAlive else { return }
        let channel = context.channel
        written.whenComplete { _ in channel.close(promise: nil) }
    }

    private func say(_ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext) {
        guard let request = head else { return }
        let body = context.channel.allocator.buffer(string: text + "\n")
        let head = HTTPResponseHead(
            version: .http1_1, status: status,
            headers: ["content-length": "\(body.readableBytes)", "content-type": "text/plain; charset=utf-8"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        finish(request, context)
    }

    /// The connection is gone: nothing is sent any more, and whoever waits to send is let go.
    private func end() {
        transfer?.stop()
        transfer = nil
        while let work = waiting.popFirst() { work() }
    }

    private static func head(_ head: TransferHead, to request: HTTPRequestHead) -> HTTPResponseHead {
        var headers = HTTPHeaders()
        for (name, value) in head.headers {
            if name.lowercased() == "set-cookie" {
                for cookie in SetCookieList.split(value) { headers.add(name: name, value: cookie) }
            } else {
                headers.add(name: name, value: value)
            }
        }
        headers = ForwardHandler.endToEnd(headers)
        // The encoder would send the end mark of chunks, which an answer to HEAD must not have.
        if request.method == .HEAD, !headers.contains(name: "content-length") {
            headers.add(name: "content-length", value: "0")
        }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: head.status), headers: headers)
    }
}
