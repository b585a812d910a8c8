import Foundation
import NIOCore
import NIOHTTP1
import PackWeb
import PackWebOnline

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Relays a decrypted connection's requests to the packages, and the answers back. It makes no decisions.
final class PackageHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pages: any PageSource
    private let online: NetworkLoader
    private let services: ServiceConnector
    private var head: HTTPRequestHead?
    private var body: ByteBuffer?
    /// What was decided before the body had come, because it is large.
    private var asked: Asked?
    private var upload: UploadRelay?
    private var transfer: ResourceLoad?
    private var relay: UpgradeRelay?
    private var hasAnswered = false
    /// Of the page's document, for the view.
    private var documentFields: [String: String] = [:]
    /// The answer has no content, whatever a server sends with it.
    private var dropsContent = false
    /// Events that wait until the connection can take more.
    private var waiting: CircularBuffer<@Sendable () -> Void> = []

    init(pages: any PageSource, online: NetworkLoader, services: ServiceConnector) {
        self.pages = pages
        self.online = online
        self.services = services
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = nil
            asked = nil
        case .body(var bytes):
            if let upload {
                upload.send(bytes)
            } else if asked == nil {
                if body?.writeBuffer(&bytes) == nil { body = bytes }
                if (body?.readableBytes ?? 0) > services.limits.heldBodySize { passOn(context) }
            }
        case .end:
            if let upload {
                upload.finish()
            } else if let head {
                answer(head, context)
            }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        drain(context.channel)
        upload?.pause(!context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// A request, decided on.
    private struct Asked {
        let fields: [(name: String, value: String)]
        let address: String
        let page: PageSession
        /// Nil: the app is asked first.
        let answer: SiteAnswer?
    }

    /// - Parameter asksApp: whether the app may answer it before the package.
    /// - Returns: nil if the request names no page.
    private func ask(_ head: HTTPRequestHead, asksApp: Bool) -> Asked? {
        guard let host = head.headers.first(name: "host"), head.uri.hasPrefix("/") else { return nil }
        // Of one connection, or set anew by whoever sends it on: the wrong host would find the wrong site.
        let dropped: Set<String> = ["host", "content-length", "accept-encoding", "expect"]
        var fields = ForwardHandler.endToEnd(head.headers).filter { !dropped.contains($0.name.lowercased()) }
        // HTTP/2 sends each cookie as a field (RFC 9113 section 8.2.3); servers of HTTP/1.1 know one.
        let cookies = fields.filter { $0.name.lowercased() == "cookie" }.map(\.value)
        if cookies.count > 1 {
            fields.removeAll { $0.name.lowercased() == "cookie" }
            fields.append((name: "cookie", value: cookies.joined(separator: "; ")))
        }
        let address = "https://\(host)\(head.uri)"
        let request = SiteRequest(
            method: head.method.rawValue, url: address,
            headers: Dictionary(fields.map { ($0.name, $0.value) }) { "\($0), \($1)" })
        let page = pages.page(for: request)
        let isApps = asksApp && online.precedesPackage(request)
        return Asked(
            fields: fields, address: address, page: page, answer: isApps ? nil : page.answer(request))
    }

    /// The body is too large to be held: it goes to its service as it comes, or nowhere.
    private func passOn(_ context: ChannelHandlerContext) {
        guard let head, let asked = ask(head, asksApp: false), let answer = asked.answer else {
            context.close(promise: nil)
            return
        }
        self.asked = asked
        let held = body
        body = nil
        guard case .online(let target) = answer.way, let url = SentAddress.url(asked.address) else { return }
        var request = Self.request(head, to: url, asked.fields)
        request.httpBody = Data()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let upload = UploadRelay(
            near: context.channel, services: services, relocation: Relocation(page: asked.address, real: target)
        ) { part in
            bound.value.handler.relay(part, of: answer, on: asked.page, to: head, bound.value.context)
        }
        guard let real = try? request.online(at: target), upload.begin(head, real, by: online) else {
            asked.page.finished(answer.number, status: 502, byteCount: 0)
            self.head = nil
            context.close(promise: nil)
            return
        }
        self.upload = upload
        if let held { upload.send(held) }
    }

    /// - Parameter part: of the service's answer; nil if it has broken off.
    private func relay(
        _ part: HTTPClientResponsePart?, of answer: SiteAnswer, on page: PageSession, to request: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        switch part {
        case .head(let head):
            hasAnswered = true
            dropsContent = head.status == .resetContent
            context.write(wrapOutboundOut(.head(Self.framed(head, to: request))), promise: nil)
        case .body where dropsContent: break
        case .body(let bytes): write(.body(.byteBuffer(bytes)), context)
        case .end:
            page.finished(answer.number, status: upload?.status, byteCount: upload?.byteCount ?? 0)
            upload = nil
            finish(request, context)
        case nil:
            page.finished(answer.number, status: 502, byteCount: 0)
            (upload, head) = (nil, nil)
            context.close(promise: nil)
        }
    }

    private static func request(
        _ head: HTTPRequestHead, to url: URL, _ fields: [(name: String, value: String)]
    ) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = head.method.rawValue
        // The engine's own are with it, and what the answer sets is the engine's to keep: one jar, which scripts see.
        request.httpShouldHandleCookies = false
        for (name, value) in fields { request.addValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        hasAnswered = false
        guard let asked = asked ?? ask(head, asksApp: !UpgradeRelay.isDue(head)) else {
            say(.badRequest, "the request names no page", context)
            return
        }
        let (fields, address, page, answer) = (asked.fields, asked.address, asked.page, asked.answer)
        documentFields = answer.map { page.documentFields(of: $0) } ?? [:]
        if let answer, case .local(let response) = answer.way, response.byteCount <= FileReader.chunkSize {
            send(response, of: answer, on: page, to: head, context)
            return
        }
        if let answer, case .online(let target) = answer.way, UpgradeRelay.isDue(head) {
            relayUpgrade(head, fields, of: answer, on: page, from: address, to: target, context)
            return
        }
        guard let url = SentAddress.url(address) else {
            if let answer { page.finished(answer.number, status: 400, byteCount: 0) }
            say(.badRequest, "the request names no page", context)
            return
        }
        var request = Self.request(head, to: url, fields)
        if let body {
            request.httpBody = Data(body.readableBytesView)
        } else if head.headers.contains(name: "content-type"), ![.GET, .HEAD].contains(head.method) {
            // A body of no bytes, as against a request that has lost its own.
            request.httpBody = Data()
        }
        body = nil
        transfer(request, answered: answer, on: page, head, context)
    }

    /// An answer that is at hand goes out in one piece: what a page of many files waits for is not bytes but turns from one
    /// thread to another. Reading so little from the device's disk keeps other connections waiting no longer than writing it.
    private func send(
        _ response: SiteResponse, of answer: SiteAnswer, on page: PageSession, to request: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let body: Data
        do { body = try response.contents() } catch {
            // Without an answer, as a server that breaks: apps wait for a network error.
            page.finished(answer.number, status: 502, byteCount: 0)
            context.close(promise: nil)
            return
        }
        let head = TransferHead(
            status: response.status, headers: response.headers.merging(documentFields) { $1 })
        context.write(wrapOutboundOut(.head(Self.head(head, to: request))), promise: nil)
        if !body.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: body)))), promise: nil)
        }
        page.finished(answer.number, status: response.status, byteCount: body.count)
        finish(request, context)
    }

    private func transfer(
        _ request: URLRequest, answered answer: SiteAnswer?, on page: PageSession, _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let place = CallbackPlace { work in
            loop.execute { bound.value.handler.perform(work, bound.value.context.channel) }
        }
        let transfer = ResourceLoad(
            request, answered: answer, on: page, online: online, redirects: .handedWithinOrigin, at: place
        ) { event in
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
            dropsContent = head.status == 205
            let fields = head.headers.merging(documentFields) { $1 }
            write(.head(Self.head(TransferHead(status: head.status, headers: fields), to: request)), context)
        case .data where dropsContent: break
        case .data(let data): write(.body(.byteBuffer(context.channel.allocator.buffer(bytes: data))), context)
        case .finished: finish(request, context)
        case .failed:
            transfer = nil
            // Half an answer must not look like a whole one; and where there is none, apps wait for a network error, as they
            // get it from a server that cannot be reached. The page's report says why.
            context.close(promise: nil)
        }
    }

    private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(part), promise: nil)
    }

    private func finish(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        transfer = nil
        head = nil
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard Self.closes(after: request) else { return }
        let channel = context.channel
        written.whenComplete { _ in channel.close(promise: nil) }
    }

    private func say(_ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext) {
        guard let request = head else { return }
        let body = context.channel.allocator.buffer(string: text + "\n")
        var headers: HTTPHeaders = [
            "content-length": "\(body.readableBytes)", "content-type": "text/plain; charset=utf-8",
        ]
        if Self.closes(after: request) { headers.add(name: "connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        finish(request, context)
    }

    /// Hands a WebSocket to the service that the request leads to.
    private func relayUpgrade(
        _ head: HTTPRequestHead, _ fields: [(name: String, value: String)], of answer: SiteAnswer, on page: PageSession,
        from address: String, to target: String, _ context: ChannelHandlerContext
    ) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let relay = UpgradeRelay(
            near: context.channel, services: services, relocation: Relocation(page: address, real: target)
        ) {
            status in
            let (handler, context) = bound.value
            page.finished(answer.number, status: status, byteCount: 0)
            guard status != 101, context.channel.isActive else { return }
            // The engine tells the page that the socket failed, and no more, as the standard wants.
            handler.say(HTTPResponseStatus(statusCode: status), "the service opens no WebSocket here", context)
        }
        self.relay = relay
        relay.begin(head, fields, to: target)
    }

    /// The connection is gone: nothing is sent any more, and whoever waits to send is let go.
    private func end() {
        transfer?.stop()
        transfer = nil
        relay?.cancel()
        relay = nil
        upload?.close()
        upload = nil
        while let work = waiting.popFirst() { work() }
    }

    /// Behind a request for another protocol the decoder reads no further one: a connection that was kept would leave the
    /// next request without an answer.
    private static func closes(after request: HTTPRequestHead) -> Bool {
        request.version.major < 2 && (!request.isKeepAlive || request.headers.contains(name: "upgrade"))
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
        return framed(
            HTTPResponseHead(version: .http1_1, status: .init(statusCode: head.status), headers: headers), to: request)
    }

    /// A head without the fields of its connection, and with those of the web view's.
    private static func framed(_ head: HTTPResponseHead, to request: HTTPRequestHead) -> HTTPResponseHead {
        var headers = ForwardHandler.endToEnd(head.headers)
        if closes(after: request) { headers.add(name: "connection", value: "close") }
        let status = head.status
        // The encoder frames nothing here: it knows no HEAD, whose answer has no chunks and may have no length (RFC 9110
        // section 8.6).
        if !status.mayHaveResponseBody {
            headers.remove(name: "content-length")
        } else if status == .resetContent {
            // A web view reads no content here (RFC 9110 section 15.3.6) and would take it for the next answer's beginning.
            headers.replaceOrAdd(name: "content-length", value: "0")
        } else if request.version.major < 2, request.method != .HEAD, !headers.contains(name: "content-length") {
            headers.add(name: "transfer-encoding", value: "chunked")
        }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }
}
